package command_test

import (
	"testing"

	"agent/internal/command"
)

// A front end without a screen runs what the program has and sends all else as a message.
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
