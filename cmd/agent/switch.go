package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"agent/internal/command"
	"agent/internal/disk"
	"agent/internal/session"
	"agent/internal/tui"
)

// recordedSessions are those of the workspace, or all.
func (a *app) recordedSessions(all bool) ([]session.Info, error) {
	workspace := a.workspace.Root()
	if all {
		workspace = ""
	}
	return session.List(a.folders.sessionsDir(), workspace)
}

// resumer is what goes on with another session once the screen of this one is closed;
// nil without a screen.
func (a *app) resumer(screen bool) func(id string) error {
	if !screen {
		return nil
	}
	return func(id string) error {
		info, err := a.folders.namedSession(id)
		switch {
		case err != nil:
			return err
		case info.ID == a.sessionID():
			return errors.New("this is that session")
		}
		if err := session.Available(info.Path); err != nil {
			return err
		}
		a.next = info.ID
		return nil
	}
}

// forker has the session go on in a record of its own, with what files held; nil where
// nothing is recorded.
func (a *app) forker() func() (before, now string, err error) {
	if a.session == nil {
		return nil
	}
	return func() (before, now string, err error) {
		before = a.session.ID()
		now, err = a.session.Fork(a.sessionOptions(), func(id string) error {
			if err := a.env.Snapshots.Fork(a.folders.snapshotsOf(id)); err != nil {
				return fmt.Errorf("the session cannot be forked: %w; agent -r %s --fork goes on without it", err, before)
			}
			return nil
		})
		return before, now, err
	}
}

// askSession is the id that stands for one that is yet to be chosen.
const askSession = "?"

// withSessionID has a bare -r ask for the session: cobra wants a value with every flag.
func withSessionID(args []string) []string {
	var full []string
	for i, arg := range args {
		if arg == "--" {
			return append(full, args[i:]...)
		}
		full = append(full, arg)
		bare := i+1 == len(args) || strings.HasPrefix(args[i+1], "-")
		if (arg == "-r" || arg == "--resume") && bare {
			full = append(full, askSession)
		}
	}
	return full
}

// errNoChoice is for those who want to choose a session where nothing can be shown.
var errNoChoice = errors.New("-r needs the id of a session where there is no terminal to choose on; agent sessions list shows them, and -c goes on with the latest")

// pickSession lets the user choose the session to go on with.
func pickSession(ctx context.Context, w world, o sessionOptions) (id string, err error) {
	f, err := w.folders()
	if err != nil {
		return "", err
	}
	if o.headless {
		return "", usage(errNoChoice)
	}
	workspace, err := filepath.EvalSymlinks(w.path(o.workspace))
	if err != nil {
		return "", usage(fmt.Errorf("the workspace cannot be opened: %w", disk.Reason(err)))
	}
	infos, err := session.List(f.sessionsDir(), workspace)
	elsewhere := err == nil && len(infos) == 0
	if elsewhere {
		infos, err = session.List(f.sessionsDir(), "")
	}
	switch {
	case err != nil:
		return "", err
	case len(infos) == 0:
		return "", usage(errors.New("no session was recorded yet, so there is none to go on with"))
	}
	chosen, ok, err := tui.Pick(ctx, tui.Options{In: w.stdin, Out: w.stdout, Environ: w.environ, Plain: o.screenReader}, *command.PickSession(infos, elsewhere, w.now()))
	switch {
	case errors.Is(err, tui.ErrNoTerminal):
		return "", usage(errNoChoice)
	case errors.Is(err, tui.ErrTerminated):
		return "", statusError(exitInterrupted)
	case err != nil || !ok:
		return "", err
	}
	return strings.TrimPrefix(chosen.Line, "/resume "), nil
}
