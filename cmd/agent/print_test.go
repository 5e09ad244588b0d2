package main

import (
	"strings"
	"testing"

	"agent/internal/tui/style"

	"github.com/google/go-cmp/cmp"
)

// A line that a terminal has no room for goes on below its last column; a pipe gets it
// as it is.
func TestLinesAreLaidOutForTheTerminal(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, line string
		width      int
		want       []string
	}{
		{"a pipe", "fix   a long line that says what to do", 0, []string{"fix   a long line that says what to do"}},
		{"a finding", "fix   a long line that says what to do", 20, []string{"fix   a long line", "      that says what", "      to do"}},
		{"two lines", "one\ntwo", 20, []string{"one", "two"}},
		{"a setting", "  theme  unset  default (the terminal's own)", 24, []string{"  theme  unset  default", "                (the", "                terminal's", "                own)"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, laid(tt.line, tt.width)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Help of every command fits the narrowest terminal that is looked at: no line is broken
// by the terminal itself.
func TestHelpFitsTheTerminal(t *testing.T) {
	t.Parallel()
	const narrow = 60
	root := newRoot(world{}, nil)
	commands := append(root.Commands(), root)
	for _, cmd := range root.Commands() {
		commands = append(commands, cmd.Commands()...)
	}
	for _, cmd := range commands {
		for _, line := range helpRows(cmd, narrow) {
			if style.Width(line) > narrow {
				t.Errorf("%s: %q is %d wide", cmd.CommandPath(), line, style.Width(line))
			}
		}
	}
}

func TestUnbroken(t *testing.T) {
	t.Parallel()
	const give = "one\ntwo\n\nthree\nfour\n\n\tan example\n\tof two lines\nfive"
	const want = "one two\n\nthree four\n\n  an example\n  of two lines\nfive"
	if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(unbroken(give), "\n")); diff != "" {
		t.Error(diff)
	}
}
