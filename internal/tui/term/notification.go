package term

import (
	"strings"

	"agent/internal/tui/style"
)

// TitleSequence returns the sequence that sets the terminal's title to a line of text.
func TitleSequence(text string) string { return "\x1b]2;" + style.SealPlain(text) + "\x1b\\" }

// NotificationSequence returns the sequence that makes the terminal show a notification on the desktop. It returns
// "" for a terminal that is not known to support one, unless anyway is set. The caller then uses the bell.
// env returns environment variables. title and body are one line each.
//
// TERM is checked first: the terminal itself sets it, while the other variables may be inherited from the
// terminal in which it was started. A multiplexer does not forward such sequences.
func NotificationSequence(env func(string) string, anyway bool, title, body string) string {
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

// withTitle returns OSC 777, whose fields are separated by semicolons.
func withTitle(title, body string) string {
	field := strings.NewReplacer(";", ",")
	return "\x1b]777;notify;" + field.Replace(title) + ";" + field.Replace(body) + "\x1b\\"
}

// inOne returns OSC 9, which has a single text.
func inOne(title, body string) string { return "\x1b]9;" + title + ": " + body + "\x1b\\" }

func hasPrefix(s string, prefixes ...string) bool {
	for _, prefix := range prefixes {
		if strings.HasPrefix(s, prefix) {
			return true
		}
	}
	return false
}
