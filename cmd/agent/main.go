// Command agent is a coding agent for the terminal.
//
// This package holds the commands of the command line, built with cobra, one file per command or
// group. It parses flags, prints results and chooses the exit status. All other decisions are made
// in the packages below internal: frontend/screen runs a session on the terminal, frontend/script
// runs a prompt for scripts, and frontend/acp serves an editor. Each of them creates its
// conversations through newConversation.
//
// A world holds all external inputs of a command: the terminal, the environment and the clock.
// sessionOptions holds the flags of the commands that start a conversation, and settingsOptions the
// flags that set settings. newRoot builds the tree of commands; execute runs it and prints every
// error once.
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"syscall"

	// Package termquiet must be initialized first. It prevents the terminal library from sending queries to
	// the terminal while the program starts.
	"agent/internal/base/version"
	_ "agent/internal/tui/term/termquiet"
)

func main() { os.Exit(agentMain()) }

// builtFrom returns the version that the linker set. Otherwise it returns the commit that go build
// recorded, or "devel".
func builtFrom() string {
	if version.Linked != "" {
		return version.Linked
	}
	if built, ok := debug.ReadBuildInfo(); ok {
		for _, setting := range built.Settings {
			if setting.Key == "vcs.revision" && len(setting.Value) >= 7 {
				return setting.Value[:7]
			}
		}
	}
	return "devel"
}

// agentMain runs the program and returns its exit status; tests start the program through it. The first
// signal ends the program in order. A second signal ends the program and its child processes at once, in
// case a step of the orderly end hangs.
func agentMain() int {
	w := processWorld()
	defer func() { _ = w.process.Close() }()
	// Signals that nohup and shells ignore for their children stay ignored.
	ends := slices.DeleteFunc([]os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT}, signal.Ignored)
	signals := make(chan os.Signal, 2)
	if len(ends) > 0 { // without arguments, Notify would catch all signals
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
				w.process.Abort()
				os.Exit(exitInterrupted)
			}
		}
	}()
	// If the process that reads our output has exited, the write must fail instead of killing the program
	// without a clean-up. The signal is caught, not ignored, because commands would inherit an ignored
	// signal.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	return execute(ctx, os.Args[1:], w)
}
