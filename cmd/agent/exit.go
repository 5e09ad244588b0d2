package main

import (
	"context"
	"errors"

	"agent/internal/app"
	"agent/internal/atcmd"
	"agent/internal/chat"
	"agent/internal/compression"
	"agent/internal/front/script"
	"agent/internal/gate"
	"agent/internal/llm"
	"agent/internal/provider"
	"agent/internal/session"
	"agent/internal/settings"
	"agent/internal/tui"
)

// The exit statuses of the program.
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

// usage marks wrong usage, settings or input: exit status 2.
func usage(err error) error { return app.InputError{Err: err} }

// statusError carries an exit status whose reason was reported already.
type statusError int

func (statusError) Error() string { return "" }

// exitStatus is the one place where errors become exit statuses.
func exitStatus(err error) int {
	var (
		status   statusError
		wrong    app.InputError
		setting  *settings.Error
		strategy *compression.UnknownStrategyError
		missing  *atcmd.MissingError
		image    *atcmd.ImageError
		config   *provider.ConfigError
		failure  *llm.Error
		late     script.TimeoutError
		held     *session.LockedError
		stopped  *gate.StoppedError
	)
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &status):
		return int(status)
	case errors.As(err, &wrong), errors.As(err, &setting), errors.As(err, &strategy), errors.As(err, &missing), errors.As(err, &image), errors.As(err, &config),
		errors.Is(err, tui.ErrNoTerminal):
		return exitUsage
	case errors.As(err, &failure):
		if failure.OfRequest() {
			return exitFailed
		}
		return exitProvider
	case errors.As(err, &late):
		return exitLimit
	case errors.As(err, &stopped):
		return exitNotAllowed
	case errors.As(err, &held):
		return exitHeld
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	default:
		return exitFailed
	}
}

// outcomeStatus is the exit status of a turn.
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
