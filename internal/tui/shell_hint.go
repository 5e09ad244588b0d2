package tui

import (
	"slices"
	"strings"
)

// fullScreen are programs that take the whole terminal, which a line for the shell has
// not.
var fullScreen = []string{"emacs", "htop", "less", "man", "more", "nano", "nvim", "ssh", "tmux", "top", "vi", "vim"}

// shellHint says of a line for the shell what it will not do, "" when it does what
// somebody expects.
func shellHint(command string) string {
	words := strings.Fields(command)
	switch {
	case len(words) == 0:
		return ""
	case words[0] == "cd" && !strings.ContainsAny(command, ";&|\n"):
		return "cd holds for its own line only: cd DIR && COMMAND"
	case slices.Contains(fullScreen, words[0]):
		return words[0] + " has no terminal here: Ctrl+Z goes to your shell, fg comes back"
	}
	return ""
}
