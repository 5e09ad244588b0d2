package tui

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"agent/internal/base/humanize"
	"agent/internal/tui/pager"
)

// paste inserts pasted text where the user is typing. It never sends or answers anything.
func (m *Model) paste(text string) tea.Cmd {
	if m.questions.Paste(text) {
		return nil
	}
	if m.chooser.picking != nil {
		m.chooser.picking.Paste(text)
		return m.chooser.work()
	}
	m.input.Paste(text, m.surface.now())
	return guardPanic(m.input.Propose())
}

// sendInput sends the input. If the line ends with a backslash, the input continues on the next line
// instead.
func (m *Model) sendInput() tea.Cmd {
	taken, runs := m.input.AcceptProposal()
	switch {
	case runs:
		return m.submit()
	case taken:
		return guardPanic(m.input.Propose())
	case m.input.ContinueLine():
		return nil
	}
	m.questions.FocusQuestion(m.surface.now())
	return m.submit()
}

// escape closes the popup. Without a popup it interrupts the turn, and without a turn it clears the draft.
// If nothing applies, a second Esc in a row opens the list of earlier messages to return to.
func (m *Model) escape() tea.Cmd {
	switch {
	case m.input.IsProposing():
		m.input.Dismiss()
	case m.activity.turn.running:
		m.interrupt()
	case !m.input.Editor.Empty():
		m.input.ClearDraft()
	case m.surface.hint.rewinds:
		m.surface.hint = hint{}
		return m.runCommand("/rewind")
	default:
		m.surface.showHint("press Esc again to return to an earlier message", false)
		m.surface.hint.rewinds = true
	}
	return nil
}

func (m *Model) interrupt() {
	m.activity.turn.interrupting = m.activity.turn.running
	m.opts.Driver.Interrupt()
}

// controlD quits. While a turn or subagents run, only the second press in a row quits.
func (m *Model) controlD() tea.Cmd {
	key := m.surface.keys.Label("quit")
	switch {
	case m.surface.hint.quits:
		return tea.Quit
	case m.activity.turn.running:
		m.surface.showHint("a turn is running: press "+key+" again to stop it and quit", true)
	case len(m.activity.agents) > 0:
		m.surface.showHint(m.quits(key), true)
	default:
		return tea.Quit
	}
	return nil
}

// quits returns a hint that another press of the key quits, and which subagents this stops.
func (m *Model) quits(key string) string {
	said := key + " again quits"
	if agents := len(m.activity.agents); agents > 0 && !m.activity.turn.running {
		said += " and stops " + humanize.Count(agents, "agent")
	}
	return said
}

// controlC interrupts the turn or clears the draft. The second press in a row quits.
func (m *Model) controlC() (next tea.Cmd) {
	switch {
	case m.surface.hint.quits:
		return tea.Quit
	case m.activity.turn.running && m.questions.IsOpen():
		next = stopTurn(m, func() {})
	case m.activity.turn.running || m.activity.aside:
		m.interrupt()
	default:
		m.input.ClearDraft()
	}
	m.surface.showHint(m.quits("Ctrl+C"), true)
	return next
}

// up moves the cursor up in the popup, the text, the queue or the history. Browsing earlier prompts counts
// as typing.
func (m *Model) up() tea.Cmd {
	m.input.Typed = m.surface.now()
	waits := &m.activity
	switch {
	case m.input.IsProposing():
		m.input.MoveSelection(-1)
	case m.input.Editor.Up():
	case m.input.Editor.Empty() && len(waits.shell) > 0:
		m.input.Editor.Set(waits.shell[len(waits.shell)-1])
		waits.shell = waits.shell[:len(waits.shell)-1]
	case m.input.Editor.Empty() && len(waits.waiting) > 0:
		m.input.Editor.Restore(waits.waiting[len(waits.waiting)-1])
		waits.waiting = waits.waiting[:len(waits.waiting)-1]
	case len(waits.queued) > 0 && (m.input.Editor.Empty() || m.backUnchanged()):
		return guardPanic(func() tea.Msg {
			message, ok := m.opts.Driver.Unqueue(m.surface.ctx)
			return thenDo(func() { m.cameBack(message, ok) })
		})
	default:
		m.input.Older()
	}
	return nil
}

func (m *Model) down() tea.Cmd {
	m.input.Typed = m.surface.now()
	switch {
	case m.input.IsProposing():
		m.input.MoveSelection(1)
	case m.input.Editor.Down():
	default:
		m.input.Newer()
	}
	return nil
}

// openOutputs opens the pager. It shows the running tools, then the outputs of the session, newest first,
// and then the turns from before the session was resumed.
func (m *Model) openOutputs() tea.Cmd {
	if len(m.activity.outputPages()) == 0 {
		m.surface.showHint("no tool output yet", false)
		return nil
	}
	m.reader.openPages(func() []pager.Page { return m.activity.outputPages() })
	return m.activity.readSpools()
}

// changeEffort moves the reasoning effort by a number of steps in the list of efforts that the model
// supports.
func (m *Model) changeEffort(steps int) tea.Cmd {
	var known []string
	if m.opts.Efforts != nil {
		known = m.opts.Efforts()
	}
	if len(known) == 0 {
		m.surface.showHint("the reasoning efforts of this model are unknown. To set one, type /set reasoning.effort EFFORT", false)
		return nil
	}
	at := slices.Index(known, m.surface.status.Effort)
	if at < 0 { // the default of most vendors
		at = slices.Index(known, "medium")
	}
	if at < 0 {
		at = len(known) / 2
	}
	next := min(max(at+steps, 0), len(known)-1)
	if next == at {
		end := "highest"
		if steps < 0 {
			end = "lowest"
		}
		m.surface.showHint("the "+end+" reasoning effort of this model is "+known[at], false)
		return nil
	}
	return m.runCommand("/set reasoning.effort " + known[next])
}

// stash stores the draft, so that another message can be sent first. On an empty line it restores the
// stashed draft.
func (m *Model) stash() tea.Cmd {
	draft := m.input.Editor.Message()
	switch {
	case draft.Trim().Text() == "" && m.stashed == nil:
		m.surface.showHint("no draft to stash", false)
	case draft.Trim().Text() == "":
		m.unstash()
		m.surface.hint = hint{} // the hint explained how to restore the draft
	case m.stashed != nil:
		m.surface.showHint("a draft is already stashed: "+m.surface.keys.Label("stash")+" on an empty line restores it", false)
	default:
		m.input.CloseProposals()
		m.input.ClearSent()
		m.stashed = &draft
		m.surface.showHint("draft stashed: "+m.surface.keys.Label("stash")+" restores it", false)
	}
	return nil
}

// unstash restores the stashed draft, if there is one.
func (m *Model) unstash() {
	if m.stashed != nil {
		m.input.Editor.Restore(*m.stashed)
		m.stashed = nil
	}
}

// nextMode switches to the next approval mode. While a question is open, it first shows a hint that the
// mode may answer the question.
func nextMode(m *Model) {
	if m.questions.IsOpen() && !m.surface.hint.modes {
		m.surface.showHint("press "+m.surface.keys.Label("mode")+" again to switch the approval mode; the next mode may approve the open calls", false)
		m.surface.hint.modes = true
		return
	}
	m.opts.Driver.CycleMode()
}
