package tui

import (
	"cmp"
	"path/filepath"

	"agent/internal/tui/question"
	"agent/internal/tui/term"
	"agent/internal/words"
)

// presence is what is known of the program outside its window.
type presence struct {
	*surface
	// title is the terminal's.
	title string
	// unfocused is set while the window does not have the focus.
	unfocused bool
	// sequence is sent to the terminal with the next frame.
	sequence string
}

// say says in the terminal's title what continues, and asks for attention when a
// question waits or a long turn ended while the window had not the focus.
func (p *presence) say(questions *question.Questions, running bool) {
	if p.opts.simpleTerminal() {
		return
	}
	name := "agent: " + words.Line(filepath.Base(p.opts.Workspace), newsLimit)
	title := name
	switch {
	case questions.Open():
		title = "? " + title
	case running:
		title = "* " + title
	}
	if title != p.title {
		p.title = title
		p.sequence += term.Title(title)
	}
	if p.bell && p.unfocused {
		p.sequence += term.Notification(p.opts.env, name, news(questions))
	}
}

// newsLimit is how much of a folder's name or of a question is shown outside the
// window, in characters.
const newsLimit = 120

// news says in a line what attention is asked for.
func news(questions *question.Questions) string {
	if !questions.Open() {
		return "the turn has ended"
	}
	asked := questions.First()
	return "asks: " + words.Line(cmp.Or(asked.Repeats, asked.Preview.Title), newsLimit)
}
