package term

import (
	"encoding/base64"
	"strings"
	"unicode/utf8"

	"agent/internal/tui/style"
)

// A Status is the state of the program, reported to the terminal for its tabs and dashboards.
type Status struct {
	// State is "idle", "working", "blocked", "done" or "error". With "", nothing is reported.
	State string
	// Kind is the kind of answer that a blocked program needs: "permission" or "question".
	Kind string
	// Title describes the task in one line.
	Title string
}

// The program status protocol (OSC 7501, revision 0.3). A terminal that supports it answers StatusQuery
// with the same bytes. Reports are sent only to such a terminal.
const (
	StatusQuery   = statusAnswer + "?\x1b\\"
	statusAnswer  = "\x1b]7501;"
	statusCleared = statusAnswer + "state=clear\x1b\\"
)

// StatusSupported is the terminal's answer to StatusQuery.
type StatusSupported struct{}

// maxTitle is the largest title that the protocol permits, in bytes before encoding.
const maxTitle = 192

// Report returns the sequence that reports the status to the terminal. If there is no state, it returns the
// sequence that removes the status.
func (s Status) Report() string {
	if s.State == "" {
		return statusCleared
	}
	report := "state=" + s.State + ":app=agent"
	if s.State == "blocked" && s.Kind != "" {
		report += ":kind=" + s.Kind
	}
	if title := cutTo(style.SealPlain(s.Title), maxTitle); title != "" {
		report += ":title=" + base64.StdEncoding.EncodeToString([]byte(title))
	}
	return statusAnswer + report + "\x1b\\"
}

// cutTo returns the longest prefix of a text that has at most most bytes and ends with a whole character.
func cutTo(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}

// Progress returns the sequence that draws the status as progress on the tab (OSC 9;4). The progress moves
// while the program works, and pauses while the program waits for the user.
func (s Status) Progress() string {
	switch s.State {
	case "working":
		return "\x1b]9;4;3;0\x1b\\"
	case "blocked":
		return "\x1b]9;4;4;100\x1b\\"
	}
	return "\x1b]9;4;0;0\x1b\\"
}

// DrawsProgress reports whether the environment names a terminal that draws OSC 9;4. Other terminals may
// show the sequence as a notification. A multiplexer does not forward it.
func DrawsProgress(env func(string) string) bool {
	name, program := env("TERM"), strings.ToLower(env("TERM_PROGRAM"))
	switch {
	case env("TMUX") != "" || env("STY") != "" || hasPrefix(name, "tmux", "screen"):
		return false
	case name == "xterm-ghostty", program == "ghostty", program == "wezterm":
		return true
	}
	return env("WT_SESSION") != "" || env("ConEmuANSI") == "ON"
}
