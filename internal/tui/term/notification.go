package term

import (
	"strings"

	"agent/internal/tui/style"
)

// Title is the sequence that sets the terminal's title to a line of text.
func Title(text string) string { return "\x1b]2;" + style.SealPlain(text) + "\x1b\\" }

// Notification is the sequence that has the terminal show a notification on the desktop,
// "" for terminals that are not known to take one, unless anyway is set: for them there is
// the bell. env looks up the environment, title and body are a line each.
//
// TERM comes first: it is set by the terminal itself, the others are inherited from the
// one that it was started in. A multiplexer keeps such sequences to itself.
func Notification(env func(string) string, anyway bool, title, body string) string {
	name, program := env("TERM"), strings.ToLower(env("TERM_PROGRAM"))
	title, body = style.SealPlain(title), style.SealPlain(body)
	switch {
	case env("TMUX") != "" || hasPrefix(name, "tmux", "screen"):
		return ""
	case hasPrefix(name, "rxvt-unicode", "foot", "wezterm", "xterm-ghostty"):
		return withTitle(title, body)
	case name == "xterm-kitty":
		return inOne(title, body)
	case program == "wezterm" || program == "ghostty":
		return withTitle(title, body)
	case program == "iterm.app" || env("LC_TERMINAL") == "iTerm2", anyway:
		return inOne(title, body)
	}
	return ""
}

// withTitle is OSC 777, whose fields end at a semicolon.
func withTitle(title, body string) string {
	field := strings.NewReplacer(";", ",")
	return "\x1b]777;notify;" + field.Replace(title) + ";" + field.Replace(body) + "\x1b\\"
}

// inOne is OSC 9, which is one text.
func inOne(title, body string) string { return "\x1b]9;" + title + ": " + body + "\x1b\\" }

func hasPrefix(s string, prefixes ...string) bool {
	for _, prefix := range prefixes {
		if strings.HasPrefix(s, prefix) {
			return true
		}
	}
	return false
}
