package link

import (
	"fmt"
	"strings"
)

// taken is what is known of a terminal and links.
type taken int

const (
	unknown taken = iota
	known
	// never is a terminal that shows what it does not know, or drops it.
	never
)

// programs are the terminals that take links, by TERM_PROGRAM.
const programs = " iTerm.app WezTerm vscode ghostty mintty rio zed Tabby contour Hyper "

// takesLinks says whether the terminal takes links. tmux does from 3.4 on, and knows of
// each of its own terminals whether that does.
func takesLinks(env func(string) string) taken {
	term, program := env("TERM"), env("TERM_PROGRAM")
	switch {
	case term == "" || term == "dumb" || term == "linux" || env("STY") != "" || env("INSIDE_EMACS") != "" || program == "Apple_Terminal":
		return never
	case env("TMUX") != "" || strings.HasPrefix(term, "tmux") || strings.HasPrefix(term, "screen"):
		if program == "tmux" && atLeast(env("TERM_PROGRAM_VERSION"), 3, 4) {
			return known
		}
		return never
	case program != "" && strings.Contains(programs, " "+program+" "),
		strings.HasPrefix(term, "xterm-kitty"), strings.HasPrefix(term, "xterm-ghostty"), strings.HasPrefix(term, "foot"), strings.HasPrefix(term, "alacritty"), strings.HasPrefix(term, "wezterm"),
		env("KITTY_WINDOW_ID") != "", env("WT_SESSION") != "", atLeast(env("VTE_VERSION"), 5000, 0), atLeast(env("KONSOLE_VERSION"), 201200, 0):
		return known
	}
	return unknown
}

// atLeast compares a version such as 3.4a.
func atLeast(version string, major, minor int) bool {
	var a, b int
	n, _ := fmt.Sscanf(strings.TrimPrefix(version, "next-"), "%d.%d", &a, &b)
	return n > 0 && (a > major || a == major && b >= minor)
}

// countsLines reports whether the terminal opens a file at the line that its address ends
// with: others look for a file of that name.
func countsLines(env func(string) string) bool {
	return env("TERM_PROGRAM") == "iTerm.app" || env("KITTY_WINDOW_ID") != "" || strings.HasPrefix(env("TERM"), "xterm-kitty")
}

// editorAround is the scheme of the editor whose terminal this is, else "file".
func editorAround(env func(string) string) string {
	switch {
	case env("TERM_PROGRAM") == "zed":
		return "zed"
	case env("TERM_PROGRAM") == "vscode" && env("CURSOR_TRACE_ID") != "":
		return "cursor"
	case env("TERM_PROGRAM") == "vscode":
		return "vscode"
	}
	return "file"
}
