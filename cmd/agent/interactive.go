package main

import (
	"context"
	"errors"
	"path/filepath"
	"runtime/debug"
	"slices"
	"time"

	"agent/internal/app"
	"agent/internal/atcmd"
	"agent/internal/chat"
	"agent/internal/provider"
	"agent/internal/session"
	"agent/internal/settings"
	"agent/internal/tui"
	"agent/internal/tui/keymap"
)

// settleAfter is when what the start has left behind, such as the text of the
// vocabulary, is given back to the system. Nobody waits for anything then.
const settleAfter = time.Second

// branchLimit bounds what git may take to say what was changed.
const branchLimit = 5 * time.Second

// runInteractive runs a session in the terminal. Without an endpoint it is the
// demo, which says so.
func runInteractive(ctx context.Context, w world, o sessionOptions) error {
	err := converseInTerminal(ctx, w, o, app.Find)
	if errors.Is(err, provider.ErrNoEndpoint) {
		return runDemo(ctx, w, o, "No model endpoint is set, so this is the demo. Set OPENAI_API_KEY, or OPENAI_BASE_URL for another server, to use a model.")
	}
	return err
}

// converseInTerminal runs sessions, one after another, until the user quits.
func converseInTerminal(ctx context.Context, w world, o sessionOptions, endpoint app.Connector) error {
	for {
		next, err := runScreen(ctx, w, o, endpoint)
		if err != nil || next == "" {
			return err
		}
		o.resume, o.continues, o.fork, o.prompt, o.images = next, false, false, "", nil
	}
}

// runScreen runs the screen and the turn loop until the session is left, and returns the
// one to go on with, "" for none.
func runScreen(ctx context.Context, w world, o sessionOptions, endpoint app.Connector) (next string, err error) {
	relay, sums := newEventRelay(), &tally{}
	emit := func(e chat.Envelope) { sums.take(e.Event); relay.emit(e.Event) }
	c, err := newConversation(ctx, w, o, app.Options{Events: emit, Connect: endpoint, Browse: openInBrowser, Ask: askOnTerminal(w), AsksTrust: true})
	if err != nil {
		return "", err
	}
	defer c.Close()
	ctx, cancel := context.WithCancelCause(ctx)
	ended := make(chan struct{})
	defer func() { cancel(nil); <-ended }()
	go func() {
		defer close(ended)
		select {
		case <-relay.registered:
			if err := c.Run(ctx); err != nil {
				cancel(err)
			}
		case <-ctx.Done():
		}
	}()
	settled := time.AfterFunc(settleAfter, debug.FreeOSMemory)
	defer settled.Stop()
	screen, err := screenOptions(ctx, w, o, c, &next)
	if err != nil {
		return "", err
	}
	screen.Events = relay.register
	err = tui.Run(ctx, screen)
	if !o.scratch() {
		sayGoodbye(ctx, w, c, sums)
	}
	var defect *app.DefectError
	switch {
	case errors.As(context.Cause(ctx), &defect):
		return "", defect
	case errors.Is(err, tui.ErrTerminated):
		return "", statusError(exitInterrupted)
	default:
		return next, err
	}
}

// screenOptions are what the screen needs to show a conversation. The session to go on
// with is put into next.
func screenOptions(ctx context.Context, w world, o sessionOptions, c *app.Conversation, next *string) (tui.Options, error) {
	folders, err := w.Folders()
	if err != nil {
		return tui.Options{}, err
	}
	log, err := w.Log()
	if err != nil {
		return tui.Options{}, err
	}
	banner := banner(w, c)
	shown := app.Screen{Keys: tui.PlainKeys(), Resume: func(id string) { *next = id }}
	bound, faults := keymap.Default(), []string(nil)
	if !o.screenReader && w.Env("TERM") != "dumb" {
		shown.KeysFile = filepath.Join(folders.Config, "keys.json")
		bound, faults = keymap.Read(shown.KeysFile)
		shown.Keys, shown.Bound = tui.Keys(bound), tui.Bound(bound)
	}
	var history tui.History // what is typed in a demo is gone with it
	if !o.scratch() {
		history = &promptHistory{file: session.Prompts{Path: filepath.Join(folders.Config, "history")}}
	}
	return tui.Options{
		Driver:   c.Chat,
		Commands: c.Commands(ctx, c.Chat, shown),
		Files:    mentions(ctx, w, c),
		Plain:    o.screenReader,
		In:       w.stdin,
		Out:      w.stdout,
		Environ:  w.Environ,
		Greeting: slices.Concat([]string{banner}, c.Notices, faults),
		Earlier:  earlierOf(c.Recorded, c.Tools),
		History:  history,
		Hear:     w.hear,
		Branch: func(ctx context.Context) string {
			ctx, cancel := context.WithTimeout(ctx, branchLimit)
			defer cancel()
			return branchNow(ctx, c.Root)
		},
		Found:      lateModel(c.Settings, c.Connection, banner),
		Workspace:  c.Root,
		Status:     chat.Status{Model: settings.Model.Of(c.Settings), Mode: c.Mode()},
		Theme:      func() string { return settings.Theme.Of(c.Settings) },
		Links:      func() string { return settings.Links.Of(c.Settings) },
		Background: c.Background,
		Vim:        func() bool { return settings.Keys.Of(c.Settings) == "vim" },
		Efforts:    func() []string { return c.Connection.Efforts(settings.Model.Of(c.Settings)) },
		Clipboard:  (&clipboard{environ: w.Environ, folder: c.TempDir()}).image,
		Keys:       bound,
		Ask:        askTrust(c.Trust),
		Initial:    o.message(),
		Log:        log.Logger,
		LogPath:    log.Path,
		Now:        w.Now,
	}, nil
}

// mentions proposes what can be mentioned: files, and what servers let read.
func mentions(ctx context.Context, w world, c *app.Conversation) *atcmd.Completer {
	files := atcmd.NewCompleter(ctx, c.Root, w.Now)
	files.Others = c.Servers.Resources
	return files
}
