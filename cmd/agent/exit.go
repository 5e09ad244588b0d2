package main

import (
	"context"
	"errors"

	"agent/internal/app"
	"agent/internal/atcmd"
	"agent/internal/chat"
	"agent/internal/compression"
	"agent/internal/frontend/cli"
	"agent/internal/frontend/script"
	"agent/internal/gate"
	"agent/internal/llm"
	"agent/internal/provider"
	"agent/internal/session"
	"agent/internal/settings"
	"agent/internal/tui"
)

// Exit statuses of the program.
const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitProvider    = 3
	exitLimit       = 4
	exitNotAllowed  = 5
	exitHeld        = 6
	exitInterrupted = 130
)

// exitStatuses lists the exit statuses with their meanings, for the manual page and the reference.
var exitStatuses = []cli.ExitStatus{
	{Code: exitOK, Means: "The answer is complete.", Retry: "no"},
	{Code: exitFailed, Means: "The run failed, or the model's reply was empty.", Retry: "no"},
	{Code: exitUsage, Means: "The command line, a setting, a profile or the input is invalid.", Retry: "no"},
	{Code: exitProvider, Means: "No endpoint is configured, the key was refused, or the provider kept failing.", Retry: "later"},
	{Code: exitLimit, Means: "--max-turns, --max-cost or --timeout was reached.", Retry: "resume with -c or --session-id"},
	{Code: exitNotAllowed, Means: "A call needed approval, and no user was there to give it.", Retry: "no; allow it with --allow"},
	{Code: exitHeld, Means: "Another program has the session open.", Retry: "later"},
	{Code: exitInterrupted, Means: "The run was interrupted.", Retry: "resume with --session-id"},
}

// usage marks an error as wrong usage, wrong settings or wrong input, which means exit status 2.
func usage(err error) error { return app.InputError{Err: err} }

// A statusError is an exit status whose reason has already been reported.
type statusError int

func (statusError) Error() string { return "" }

// is reports whether an error has the type E or wraps an error of that type.
func is[E error](err error) bool {
	_, found := errors.AsType[E](err)
	return found
}

// exitStatus returns the exit status for an error. No other function decides this.
func exitStatus(err error) int {
	status, reported := errors.AsType[statusError](err)
	failure, ofProvider := errors.AsType[*llm.Error](err)
	switch {
	case err == nil:
		return exitOK
	case reported:
		return int(status)
	case is[app.InputError](err), is[*settings.Error](err), is[*compression.UnknownStrategyError](err), is[*atcmd.MissingError](err), is[*atcmd.ImageError](err),
		is[*provider.ConfigError](err), errors.Is(err, tui.ErrNoTerminal):
		return exitUsage
	case ofProvider && !failure.IsRequestError():
		return exitProvider
	case ofProvider:
		return exitFailed
	case is[script.TimeoutError](err):
		return exitLimit
	case is[*gate.StoppedError](err):
		return exitNotAllowed
	case is[*session.LockedError](err):
		return exitHeld
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	}
	return exitFailed
}

// outcomeStatus returns the exit status for the end of a turn.
func outcomeStatus(outcome chat.Outcome, err error) int {
	if err != nil {
		return exitStatus(err)
	}
	switch outcome.Stop {
	case chat.StopDone:
		return exitOK
	case chat.StopMaxTurns, chat.StopMaxCost:
		return exitLimit
	case chat.StopDenied:
		return exitNotAllowed
	case chat.StopInterrupted:
		return exitInterrupted
	default:
		return exitFailed
	}
}
