package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime/debug"
	"time"

	"agent/internal/atcmd"
	"agent/internal/chat"
	"agent/internal/provider"
	"agent/internal/session"
	"agent/internal/settings"
	"agent/internal/tui"
)

// settleAfter is when what the start has left behind, such as the text of the
// vocabulary, is given back to the system. Nobody waits for anything then.
const settleAfter = time.Second

// branchLimit bounds what git may take to say what was changed.
const branchLimit = 5 * time.Second

// runInteractive runs a session in the terminal. Without an endpoint it is the
// demo, which says so.
func runInteractive(ctx context.Context, w world, o sessionOptions) error {
	err := converseInTerminal(ctx, w, o, endpointFromUser)
	if errors.Is(err, provider.ErrNoEndpoint) {
		return runDemo(ctx, w, o, "No model endpoint is set, so this is the demo. Set OPENAI_API_KEY, or OPENAI_BASE_URL for another server, to use a model.")
	}
	return err
}

// converseInTerminal runs sessions, one after another, until the user quits.
func converseInTerminal(ctx context.Context, w world, o sessionOptions, endpoint endpointSource) error {
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
func runScreen(ctx context.Context, w world, o sessionOptions, endpoint endpointSource) (next string, err error) {
	relay := newEventRelay()
	a, err := newApp(ctx, w, o, appMode{emit: relay.emit, endpoint: endpoint, ask: askOnTerminal(w)})
	if err != nil {
		return "", err
	}
	defer a.close()
	ctx, cancel := context.WithCancelCause(ctx)
	ended := make(chan struct{})
	defer func() { cancel(nil); <-ended }()
	go func() {
		defer close(ended)
		defer endOnPanic(cancel, a.log)
		select {
		case <-relay.registered:
			a.chat.Run(ctx)
		case <-ctx.Done():
		}
	}()
	settled := time.AfterFunc(settleAfter, debug.FreeOSMemory)
	defer settled.Stop()
	banner, keys := a.banner(), tui.Keys()
	if o.screenReader || w.env("TERM") == "dumb" {
		keys = tui.PlainKeys()
	}
	err = tui.Run(ctx, tui.Options{
		Driver:   a.chat,
		Commands: a.commands(ctx, a.chat, keys),
		Files:    atcmd.NewCompleter(ctx, a.workspace.Root(), w.now),
		Events:   relay.register,
		Plain:    o.screenReader,
		In:       w.stdin,
		Out:      w.stdout,
		Environ:  w.environ,
		Greeting: append([]string{banner}, a.notices...),
		Earlier:  a.earlier,
		History:  &promptHistory{file: session.Prompts{Path: filepath.Join(a.folders.config, "history")}},
		Branch: func(ctx context.Context) string {
			ctx, cancel := context.WithTimeout(ctx, branchLimit)
			defer cancel()
			return branchNow(ctx, a.workspace.Root())
		},
		Found:     a.lateModel(banner),
		Workspace: a.workspace.Root(),
		Status:    chat.Status{Model: settings.Model.Of(a.settings), Mode: a.chat.Mode()},
		Theme:     func() string { return settings.Theme.Of(a.settings) },
		Clipboard: a.clipboardImage,
		Initial:   o.message(),
		LogPath:   a.log.path,
		Now:       w.now,
	})
	sayGoodbye(ctx, w, a)
	var defect *defectError
	switch {
	case errors.As(context.Cause(ctx), &defect):
		return "", defect
	case errors.Is(err, tui.ErrTerminated):
		return "", statusError(exitInterrupted)
	default:
		return a.next, err
	}
}

// defectError is a panic of the turn loop. The screen is closed before it is shown.
type defectError struct {
	value any
	log   string
}

func (e *defectError) Error() string {
	return fmt.Sprintf("internal error: %v; the session is saved, what happened is in %s", e.value, e.log)
}

// endOnPanic ends the session in order when the turn loop panics.
func endOnPanic(cancel context.CancelCauseFunc, log *eventLog) {
	if value := recover(); value != nil {
		cancel(newDefect(value, log))
	}
}

// newDefect logs a panic, from the goroutine that recovered it.
func newDefect(value any, log *eventLog) *defectError {
	log.logger.Error("the turn loop panicked", "panic", fmt.Sprint(value), "stack", string(debug.Stack()))
	return &defectError{value, log.path}
}
