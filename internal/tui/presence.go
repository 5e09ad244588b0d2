package tui

import (
	"cmp"
	"path/filepath"

	tea "github.com/charmbracelet/bubbletea"

	"agent/internal/base/humanize"
	"agent/internal/chat"
	"agent/internal/tui/question"
	"agent/internal/tui/term"
)

// presence holds the state that the program shows outside its window: the title, notifications and the
// focus.
type presence struct {
	surface  *surface
	programs Programs
	// title is the current title of the terminal.
	title string
	// unfocused is set while the window does not have the focus.
	unfocused bool
	// reports is set if the terminal reports changes of the focus.
	reports bool
	// sequence is an escape sequence to send with the next frame.
	sequence string
	status   status
}

// status reports the state to the terminal, for its tab and for dashboards.
type status struct {
	// supported is set once the terminal has answered that it accepts reports. draws is set if it draws
	// progress.
	supported, draws bool
	// title returns the title that the user gave the session, or "".
	title func() string
	ended chat.TurnEnded
	// reported and drawn are the sequences that were last sent.
	reported, drawn string
}

func newStatus(s *surface, title func() string) status {
	if title == nil {
		title = func() string { return "" }
	}
	return status{draws: !s.plain && !s.environ.simpleTerminal() && term.DrawsProgress(s.environ.get), title: title}
}

// update returns the sequences that report a change of the state. It reports no text of the conversation:
// it does not send a title made from a message.
func (s *status) update(questions *question.Questions, running bool, folder string) (sequences string) {
	now := term.Status{State: "idle", Title: humanize.Line(cmp.Or(s.title(), folder), newsLimit)}
	switch {
	case questions.IsOpen():
		now.State, now.Kind = "blocked", "permission"
		if asked := questions.First(); asked.Own != nil || len(asked.Preview.Inquiries) > 0 {
			now.Kind = "question"
		}
	case running:
		now.State = "working"
	case s.ended.Err != nil || s.ended.Outcome.Stop == chat.StopFailed:
		now.State = "error"
	case s.ended.Outcome.Stop == chat.StopDone:
		now.State = "done"
	}
	if report := now.Report(); s.supported && report != s.reported {
		s.reported = report
		sequences += report
	}
	progress := now.Progress()
	if s.draws && progress != s.drawn && (s.drawn != "" || progress != term.Status{}.Progress()) {
		s.drawn = progress
		sequences += progress
	}
	return sequences
}

// undo returns the sequences that clear the reported state.
func (p *presence) undo() (sequences string) {
	if p.status.reported != "" {
		sequences += term.Status{}.Report()
	}
	if p.status.drawn != "" {
		sequences += term.Status{}.Progress()
	}
	return sequences
}

// forget makes the next update report everything again, after another program has used the terminal.
func (p *presence) forget() { p.title, p.status.reported, p.status.drawn = "", "", "" }

// say sets the terminal's title to the current state. It also notifies the user if a question is open or a
// long turn has ended, unless the window is known to have the focus.
func (p *presence) say(questions *question.Questions, running bool) tea.Cmd {
	name := "agent: " + humanize.Line(filepath.Base(p.surface.workspace), newsLimit)
	title := name
	switch {
	case questions.IsOpen():
		title = "? " + title
	case running:
		title = "* " + title
	}
	if title != p.title && !p.surface.environ.simpleTerminal() {
		p.title = title
		p.sequence += term.TitleSequence(title)
	}
	p.sequence += p.status.update(questions, running, filepath.Base(p.surface.workspace))
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
		shown := term.NotificationSequence(p.surface.environ.get, setting == "osc", name, news)
		p.sequence += shown
		p.surface.bell = setting != "osc" || shown == ""
	}
	if p.programs == nil {
		return nil
	}
	return guardPanic(func() tea.Msg {
		if err := p.programs.NotifyUser(p.surface.ctx, kind, news); err != nil {
			return noteMsg{err.Error()}
		}
		return nil
	})
}

// newsLimit limits the characters of a folder's name or of a question that are shown outside the window.
const newsLimit = 120

// news returns the reason for notifying the user: kind in one word, and line in one line.
func news(questions *question.Questions) (kind, line string) {
	if !questions.IsOpen() {
		return "turn-ended", "the turn has ended"
	}
	asked := questions.First()
	return "question", "asks: " + humanize.Line(cmp.Or(asked.Repeats, asked.Preview.Title), newsLimit)
}
