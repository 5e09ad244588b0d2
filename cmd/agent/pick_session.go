package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"agent/internal/base/fsutil"
	"agent/internal/command"
	"agent/internal/session"
	"agent/internal/tui"
)

// askSession is the session ID for -r without a value: the user must choose a session.
const askSession = "?"

// withSessionID adds askSession after -r without a value, because cobra requires a value for the flag.
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

// errNoChoice is returned if no list of sessions can be shown.
var errNoChoice = errors.New("-r needs a session ID if there is no terminal. To list sessions, run: agent sessions list. To resume the latest, run: agent -c")

// pickSession returns the ID of the session to resume. The user chooses the session if no name is given, or
// if several sessions have the name. The ID is "" if the user canceled.
func pickSession(ctx context.Context, w world, o sessionOptions) (id string, err error) {
	f, err := w.process.Folders()
	if err != nil {
		return "", err
	}
	if o.headless {
		return "", usage(errNoChoice)
	}
	workspace, err := filepath.EvalSymlinks(w.process.Path(o.Workspace))
	if err != nil {
		return "", usage(fmt.Errorf("can't open the workspace: %w", fsutil.Reason(err)))
	}
	lists := f.SessionLists(workspace, w.process.Now)
	if name := o.Record.Resume; name != askSession {
		info, err := f.NamedSession(workspace, name)
		several := (*session.AmbiguousError)(nil)
		switch {
		case err == nil:
			return info.ID, nil
		case !errors.As(err, &several):
			return "", usage(err)
		}
		pick, unlisted := lists.AmbiguousChoiceList(several)
		if unlisted != nil {
			return "", unlisted
		}
		return showSessions(ctx, w, o, pick, usage(err))
	}
	infos, err := lists.List(false)
	elsewhere := err == nil && len(infos) == 0
	if elsewhere {
		infos, err = lists.List(true)
	}
	switch {
	case err != nil:
		return "", err
	case len(infos) == 0:
		return "", usage(errors.New("can't resume: no sessions are recorded yet"))
	}
	return showSessions(ctx, w, o, lists.ChoiceList(infos, elsewhere, false), usage(errNoChoice))
}

// showSessions shows a list of sessions, and returns the id of the session that the user chooses. hidden
// is the error to return if no list can be shown.
func showSessions(ctx context.Context, w world, o sessionOptions, pick *command.ChoiceList, hidden error) (id string, err error) {
	chosen, ok, err := tui.Choose(ctx, tui.Options{In: w.stdin, Out: w.stdout, Environ: w.process.Environ, Plain: o.screenReader}, *pick)
	switch {
	case errors.Is(err, tui.ErrNoTerminal):
		return "", hidden
	case errors.Is(err, tui.ErrTerminated):
		return "", statusError(exitInterrupted)
	case err != nil || !ok:
		return "", err
	}
	return strings.TrimPrefix(chosen.Line, "/resume "), nil
}
