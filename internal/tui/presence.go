package tui

import (
	"path/filepath"

	"agent/internal/tui/style"
)

// present says in the terminal's title what goes on, and asks for attention when a
// question waits or a long turn ended while the window had not the focus.
func (m *Model) present() {
	if m.opts.simpleTerminal() {
		return
	}
	title := "agent: " + style.Reveal(filepath.Base(m.opts.Workspace)).Text
	switch {
	case m.questions.Open():
		title = "? " + title
	case m.turn.running:
		title = "* " + title
	}
	if title != m.title {
		m.title = title
		m.sequence += "\x1b]2;" + title + "\x1b\\"
	}
	if m.bell && m.unfocused {
		m.sequence += "\x1b]9;" + title + "\x1b\\"
	}
}
