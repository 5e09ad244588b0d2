// Command agent is a coding agent for the terminal.
//
// This package holds the commands and wires the rooms of the program together; it
// decides nothing by itself.
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"syscall"

	// First of all: keeps the terminal library from asking the terminal questions
	// while the program starts.
	_ "agent/internal/tui/term/termquiet"
)

// version is set by the linker where make builds the program.
var version = ""

func main() { os.Exit(agentMain()) }

// builtFrom is the commit that go build recorded, "devel" when it knows of none.
func builtFrom() string {
	if built, ok := debug.ReadBuildInfo(); ok {
		for _, setting := range built.Settings {
			if setting.Key == "vcs.revision" && len(setting.Value) >= 7 {
				return setting.Value[:7]
			}
		}
	}
	return "devel"
}

// agentMain is main with an exit status; tests run the program by it. The first
// signal ends the program in order; a second one ends it at once, with all that it
// has started, should the first have met something that does not listen.
func agentMain() int {
	if version == "" {
		version = builtFrom()
	}
	w := processWorld()
	defer func() { _ = w.Close() }()
	// What nohup and shells ignore for their children stays ignored.
	ends := slices.DeleteFunc([]os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT}, signal.Ignored)
	signals := make(chan os.Signal, 2)
	if len(ends) > 0 { // none would mean all
		signal.Notify(signals, ends...)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		ending := false
		for s := range signals {
			switch {
			case w.isHeard(s):
			case !ending:
				ending = true
				cancel()
			default:
				w.EndAtOnce()
				os.Exit(exitInterrupted)
			}
		}
	}()
	// A reader of our output that has gone is an error of the write, not a death
	// that cleans nothing up. Ignoring the signal would be inherited by commands.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	return execute(ctx, os.Args[1:], w)
}
