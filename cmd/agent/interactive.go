package main

import (
	"context"
	"errors"
	"path/filepath"

	"agent/internal/chat"
	"agent/internal/session"
	"agent/internal/tui"
)

// runInteractive runs a session in the terminal. Without an endpoint it is the
// demo, which says so.
func runInteractive(ctx context.Context, w world, o options) error {
	err := converseInTerminal(ctx, w, o, endpointFromUser)
	if errors.Is(err, errNoEndpoint) {
		return runDemo(ctx, w, o, "No model endpoint is set, so this is the demo. Set OPENAI_API_KEY, or OPENAI_BASE_URL for another server, to use a model.")
	}
	return err
}

// converseInTerminal runs the screen and the turn loop until the user quits.
func converseInTerminal(ctx context.Context, w world, o options, endpoint endpointSource) error {
	relay := newEventRelay()
	a, err := newApp(ctx, w, o, appMode{emit: relay.emit, endpoint: endpoint})
	if err != nil {
		return err
	}
	defer a.close()
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	defer func() { cancel(); <-ended }()
	go func() {
		defer close(ended)
		select {
		case <-relay.registered:
		case <-ctx.Done():
			return
		}
		a.chat.Run(ctx)
	}()
	return tui.Run(ctx, tui.Options{
		Driver:    a.chat,
		Commands:  a.commands(ctx),
		Events:    relay.register,
		In:        w.stdin,
		Out:       w.stdout,
		Environ:   w.environ,
		Greeting:  append([]string{"agent " + version + " · /help for help, @ to include files, ! to run a command"}, a.notices...),
		History:   session.Prompts{Path: filepath.Join(a.folders.config, "history")},
		Workspace: a.workspace.Root(),
		Status:    chat.Status{Model: a.settings.Model(), Mode: a.chat.Mode()},
		Theme:     a.settings.Theme,
		Initial:   o.prompt,
		LogPath:   a.log.path,
		Now:       w.now,
	})
}
