package tui

import (
	"cmp"
	"path/filepath"

	"agent/internal/tui/term"
	"agent/internal/words"
)

// presence is what is known of the program outside its window.
type presence struct {
	// title is the terminal's.
	title string
	// unfocused is set while the window does not have the focus.
	unfocused bool
	// sequence goes to the terminal with the next frame.
	sequence string
}

// present says in the terminal's title what goes on, and asks for attention when a
// question waits or a long turn ended while the window had not the focus.
func (m *Model) present() {
	if m.opts.simpleTerminal() {
		return
	}
	p := &m.presence
	name := "agent: " + words.Line(filepath.Base(m.opts.Workspace), newsLimit)
	title := name
	switch {
	case m.questions.Open():
		title = "? " + title
	case m.activity.turn.running:
		title = "* " + title
	}
	if title != p.title {
		p.title = title
		p.sequence += term.Title(title)
	}
	if m.bell && p.unfocused {
		p.sequence += term.Notification(m.opts.env, name, m.news())
	}
}

// newsLimit is how much of a folder's name or of a question is shown outside the
// window, in characters.
const newsLimit = 120

// news says in a line what attention is asked for.
func (m *Model) news() string {
	if !m.questions.Open() {
		return "the turn has ended"
	}
	asked := m.questions.First()
	return "asks: " + words.Line(cmp.Or(asked.Repeats, asked.Preview.Title), newsLimit)
}
