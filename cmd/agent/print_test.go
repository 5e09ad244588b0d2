package main

import (
	"strings"
	"testing"

	"agent/internal/frontend/cli"
	"agent/internal/tui/style"
)

// The help of every command fits a terminal of 60 columns, so that the terminal breaks no line.
func TestHelpFitsTheTerminal(t *testing.T) {
	t.Parallel()
	const narrow = 60
	root := newRoot(world{}, nil)
	commands := append(root.Commands(), root)
	for _, cmd := range root.Commands() {
		commands = append(commands, cmd.Commands()...)
	}
	for _, cmd := range commands {
		var help strings.Builder
		cli.Help(&help, narrow, cmd)
		for _, line := range strings.Split(help.String(), "\n") {
			if style.Width(line) > narrow {
				t.Errorf("%s: %q is %d wide", cmd.CommandPath(), line, style.Width(line))
			}
		}
	}
}
