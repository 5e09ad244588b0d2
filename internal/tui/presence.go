package tui

import (
	"cmp"
	"path/filepath"

	tea "github.com/charmbracelet/bubbletea"

	"agent/internal/tui/question"
	"agent/internal/tui/term"
	"agent/internal/words"
)

// presence holds the signs of the program outside its window: the title, notifications and the
// focus.
type presence struct {
	surface  *surface
	programs Programs
	// title is the present title of the terminal.
	title string
	// unfocused is set while the window does not have the focus.
	unfocused bool
	// reports is set if the terminal reports changes of the focus.
	reports bool
	// sequence is an escape sequence to send with the next frame.
	sequence string
}

// say sets the terminal's title to the present state. It also calls the person if a question
// waits or a long turn has ended, unless the window is known to have the focus.
func (p *presence) say(questions *question.Questions, running bool) tea.Cmd {
	name := "agent: " + words.Line(filepath.Base(p.surface.workspace), newsLimit)
	title := name
	switch {
	case questions.Open():
		title = "? " + title
	case running:
		title = "* " + title
	}
	if title != p.title && !p.surface.environ.simpleTerminal() {
		p.title = title
		p.sequence += term.Title(title)
	}
	if !p.surface.calling {
		return nil
	}
	p.surface.calling = false
	setting := p.surface.settings().Notify
	if setting == "off" || p.reports && !p.unfocused {
		return nil
	}
	p.surface.bell = true
	kind, news := news(questions)
	if setting != "bell" && p.unfocused && !p.surface.environ.simpleTerminal() {
		shown := term.Notification(p.surface.environ.get, setting == "osc", name, news)
		p.sequence += shown
		p.surface.bell = setting != "osc" || shown == ""
	}
	if p.programs == nil {
		return nil
	}
	return guardPanic(func() tea.Msg {
		if err := p.programs.Called(p.surface.ctx, kind, news); err != nil {
			return noteMsg{err.Error()}
		}
		return nil
	})
}

// newsLimit is the most characters of a folder's name or of a question that are shown outside the
// window.
const newsLimit = 120

// news returns the reason for calling the person, in a word and in a line.
func news(questions *question.Questions) (kind, line string) {
	if !questions.Open() {
		return "turn-ended", "the turn has ended"
	}
	asked := questions.First()
	return "question", "asks: " + words.Line(cmp.Or(asked.Repeats, asked.Preview.Title), newsLimit)
}
