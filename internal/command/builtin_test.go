package command_test

import (
	"testing"

	"agent/internal/command"
)

// An interface without a screen runs the built-in commands and sends everything else as a message.
func TestBuiltIn(t *testing.T) {
	t.Parallel()
	files := func() []command.Callable {
		return []command.Callable{{Name: "review"}, {Name: "undo", Origin: "project"}}
	}
	c := command.New(files, nil, nil, command.Command{Name: "undo", Aliases: []string{"back"}})
	for line, want := range map[string]bool{
		"/undo": true, " /UNDO yes ": true, "/back": true, "/help": true,
		"/review": false, "/project:undo": false, "/undo/etc": false, "/etc/hosts is": false, "undo": false, "/": false, "": false,
	} {
		if got := c.IsBuiltIn(line); got != want {
			t.Errorf("%q: %v, want %v", line, got, want)
		}
	}
}
