package tui

import (
	"cmp"
	"context"
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"agent/internal/atcmd"
	"agent/internal/chat"
	"agent/internal/tui/question"
	"agent/internal/tui/style"
	"agent/internal/tui/term"
)

// questionKey passes a key to the open question. It returns false if the key is for the rest of the
// interface.
func (m *Model) questionKey(k term.Key) (tea.Cmd, bool) {
	if m.questions.IsDrafting() && k.Name == "esc" {
		if m.input.IsProposing() {
			return nil, false
		}
		if m.questions.IsAnswers(m.input.Editor.Text) {
			m.input.ClearSent() // the user meant the draft as an answer
		}
	}
	if m.questions.IsAsking() && slices.Contains(m.surface.keys.ActionsOf(k.Name), "quit") {
		if m.opts.Attached {
			return tea.Quit, true
		}
		m.surface.showHint("a question is open: press Esc to refuse it and stop, then "+m.surface.keys.Label("quit")+" quits", false)
		return nil, true
	}
	reply := m.questions.Key(k, m.surface.now())
	return m.questionReply(reply), !reply.Pass
}

// settleOutdated returns a command that removes outdated questions from the screen.
func (m *Model) settleOutdated() tea.Cmd {
	outdated := m.questions.OutdatedIDsFunc()
	if outdated == nil {
		return nil
	}
	return guardPanic(func() tea.Msg {
		ids := outdated()
		return thenDo(func() {
			for _, id := range ids {
				m.questions.Settle(id, m.surface.now())
			}
		})
	})
}

// questionReply carries out the effect of a key, or of elapsed time, on the open question.
func (m *Model) questionReply(reply question.Reply) tea.Cmd {
	switch {
	case reply.Hint != "":
		m.surface.showHint(reply.Hint, false)
	case reply.Draft != "":
		m.input.Editor.Insert(reply.Draft)
		m.input.Typed = m.surface.now()
		return guardPanic(m.input.Propose())
	case reply.View:
		asked := m.questions.First()
		m.reader.asked = asked.ID
		m.reader.openPage("the question", func(t *style.Theme, width int) []string { return question.AllRows(t, asked, width) })
		if reply.End {
			m.reader.pager.Key(term.Key{Name: "F"})
		}
	case reply.Yes != nil:
		return m.activity.run(reply.Run, reply.Yes)
	case reply.Run != "":
		return m.runCommand(reply.Run)
	case reply.Declined:
		m.surface.note(dim, "·", cmp.Or(reply.Says, "left unchanged"))
	case reply.Stop:
		return stopTurn(m, func() { m.opts.Driver.Answer(reply.ID, reply.Decision) })
	case reply.Answered:
		m.opts.Driver.Answer(reply.ID, reply.Decision)
	}
	return nil
}

// unqueueTime limits the wait for a queue that another program holds.
const unqueueTime = 2 * time.Second

// stopTurn returns everything that waits to the prompt, calls refuse and interrupts the turn. Shell commands
// do not join the messages, because a prompt that begins with ! is a shell command as a whole. The latest of
// them fills an empty prompt, and the others stay in the prompt history.
func stopTurn(m *Model, refuse func()) tea.Cmd {
	back, shell := slices.Concat(m.activity.behind, m.activity.waiting), m.activity.shell
	m.activity.behind, m.activity.waiting, m.activity.shell = nil, nil, nil
	end := func() {
		if len(back) > 0 {
			m.event(chat.MessageReturned{Message: atcmd.Join(back)})
		}
		if len(shell) > 0 {
			m.event(chat.MessageReturned{Message: atcmd.TypedMessage(shell[len(shell)-1])})
		}
		refuse()
		m.interrupt()
	}
	if len(m.activity.queued) == 0 {
		end()
		return nil
	}
	return guardPanic(func() tea.Msg {
		ctx, cancel := context.WithTimeout(m.surface.ctx, unqueueTime)
		defer cancel()
		for message, ok := m.opts.Driver.Unqueue(ctx); ok; message, ok = m.opts.Driver.Unqueue(ctx) {
			back = slices.Insert(back, 0, message)
		}
		return thenDo(end)
	})
}
