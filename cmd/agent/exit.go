package main

import (
	"context"
	"errors"

	"agent/internal/app"
	"agent/internal/atcmd"
	"agent/internal/chat"
	"agent/internal/cli"
	"agent/internal/compression"
	"agent/internal/front/script"
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

// exitStatuses lists the exit statuses with their meanings, for the manual page. The guide lists
// them too.
var exitStatuses = []cli.ExitStatus{
	{Code: exitOK, Means: "the answer is complete"},
	{Code: exitFailed, Means: "the turn failed"},
	{Code: exitUsage, Means: "wrong usage or settings"},
	{Code: exitProvider, Means: "the endpoint or its key"},
	{Code: exitLimit, Means: "a limit: turns, time, cost"},
	{Code: exitNotAllowed, Means: "something needed consent that nobody could give"},
	{Code: exitHeld, Means: "another program has the session open; try again"},
	{Code: exitInterrupted, Means: "interrupted"},
}

// usage marks an error as wrong usage, settings or input: exit status 2.
func usage(err error) error { return app.InputError{Err: err} }

// A statusError carries an exit status whose reason has already been reported.
type statusError int

func (statusError) Error() string { return "" }

// is reports whether an error has the type E or wraps an error of that type.
func is[E error](err error) bool {
	_, found := errors.AsType[E](err)
	return found
}

// exitStatus returns the exit status for an error. It is the only place that decides this.
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
	case ofProvider && !failure.OfRequest():
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
