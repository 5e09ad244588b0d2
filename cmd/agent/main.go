// Command agent is a coding agent for the terminal.
//
// This package holds the commands and wires the rooms of the program together; it
// decides nothing by itself.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	// First of all: keeps the terminal library from asking the terminal questions
	// while the program starts.
	_ "agent/internal/tui/termquiet"
)

// version is set by the linker.
var version = "unknown"

func main() { os.Exit(agentMain()) }

// agentMain is main with an exit status; tests run the program by it.
func agentMain() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	return execute(ctx, os.Args[1:], processWorld())
}
