package tui

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"agent/internal/command"
	"agent/internal/picture"
	"agent/internal/tui/term"
)

// Keys tells people what the keys do that are not those of every line editor.
func Keys() []command.Key {
	return []command.Key{
		{Name: "Enter", Does: "send, or queue while the agent works"},
		{Name: "Alt+Enter, Ctrl+J", Does: `new line; \ and Enter do it too`},
		{Name: "Esc", Does: "interrupt; else clear the draft"},
		{Name: "Esc Esc", Does: "on an empty line: rewind"},
		{Name: "Ctrl+C", Does: "clear or interrupt; twice quits"},
		{Name: "Ctrl+D", Does: "on an empty line: quit"},
		{Name: "Up, Down, Ctrl+R", Does: "earlier prompts; Up also unqueues"},
		{Name: "Ctrl+O", Does: "outputs and reasoning in full, ← →"},
		{Name: "Ctrl+V", Does: "the image on the clipboard"},
		{Name: "Ctrl+G", Does: "edit the prompt in $EDITOR"},
		{Name: "Ctrl+_, Alt+_", Does: "undo and redo in the prompt"},
		{Name: "Ctrl+L", Does: "show the conversation again"},
		{Name: "Ctrl+Z", Does: "to your shell; fg comes back"},
		{Name: "Shift+Tab", Does: "next approval mode"},
		{Name: "?", Does: "on an empty line: these keys"},
	}
}

// PlainKeys are the keys where nothing but lines is printed and read.
func PlainKeys() []command.Key {
	return []command.Key{
		{Name: "Enter", Does: "send the line, or answer with it"},
		{Name: "Ctrl+C", Does: "end the program"},
		{Name: "Ctrl+D", Does: "on an empty line: quit"},
	}
}

// key takes a key: for what is read, the question that waits, the list that is open, or
// the input.
func (m *Model) key(k term.Key) tea.Cmd {
	switch k.Name {
	case "ctrl+c", "ctrl+d", "esc", "alt+esc":
	default: // what a second key in a row would do
		if m.hint.quits || m.hint.rewinds {
			m.hint = hint{}
		}
	}
	if m.pager != nil {
		m.pagerKey(k)
		return nil
	}
	if m.questions.Open() {
		if next, taken := m.questionKey(k); taken {
			return next
		}
	}
	if m.picking != nil {
		m.typed = m.opts.Now()
		return m.pickerKey(k)
	}
	if m.helpKey(k) {
		return nil
	}
	if cmd, taken := m.actionKey(k); taken {
		switch k.Name {
		case "up", "down", "ctrl+p", "ctrl+n": // going through earlier prompts is writing one, too
			m.typed = m.opts.Now()
		}
		return cmd
	}
	before := m.input.Text
	m.input.Key(k.Name, k.Text)
	m.typed = m.opts.Now()
	if m.input.Text != before {
		m.prompts.Rest()
	}
	return m.proposeLater()
}

// paste puts pasted text where text is typed. It never sends or answers anything.
func (m *Model) paste(text string) tea.Cmd {
	switch {
	case m.questions.Paste(text):
		return nil
	case m.picking != nil:
		m.picking.Paste(text)
		return m.loadPreview()
	}
	m.typed = m.opts.Now()
	if images := picture.Dropped(text); len(images) > 0 {
		for _, path := range images {
			m.insertImage(path)
		}
		return nil
	}
	m.input.InsertPaste(text)
	return m.proposeLater()
}

// actionKey takes the keys that do more than edit. It reports false for others.
func (m *Model) actionKey(k term.Key) (cmd tea.Cmd, taken bool) {
	if k.Types() {
		return nil, false
	}
	switch k.Name {
	case "enter":
		return m.enter(), true
	case "alt+enter", "ctrl+j":
		m.input.Insert("\n")
		return nil, true
	case "tab":
		return m.tab(), true
	case "shift+tab":
		m.opts.Driver.CycleMode()
		return nil, true
	case "esc":
		return m.escape(), true
	case "alt+esc": // twice, faster than they can be told apart
		return tea.Batch(m.escape(), m.escape()), true
	case "ctrl+c":
		return m.controlC(), true
	case "ctrl+d":
		if m.input.Empty() {
			return m.controlD(), true
		}
		return nil, false
	case "up":
		return m.upKey()
	case "down":
		return nil, m.downKey()
	case "ctrl+p":
		m.older()
		return nil, true
	case "ctrl+n":
		m.newer()
		return nil, true
	case "ctrl+r":
		return m.searchPrompts(), true
	case "ctrl+o":
		return m.openOutputs(), true
	case "ctrl+v":
		return m.pasteImage(), true
	case "ctrl+g":
		return m.editOutside(), true
	case "ctrl+l":
		m.again = true
		return nil, true
	case "ctrl+z":
		return lend(term.Suspend, nil), true
	}
	return nil, false
}

// enter sends, unless the line ends with a backslash: then it continues.
func (m *Model) enter() tea.Cmd {
	m.proposeNow()
	if m.popup.open() && m.popup.selected >= 0 {
		runs := m.popup.runsSelected()
		m.acceptCompletion()
		if runs {
			return m.submit()
		}
		return m.proposeLater()
	}
	if e := &m.input; strings.HasSuffix(e.Text[:e.Cursor], `\`) && e.Cursor == len(e.Text) {
		e.Backspace()
		e.Insert("\n")
		return nil
	}
	m.questions.Ask(m.opts.Now())
	return m.submit()
}

// escape closes the popup, else interrupts the turn, else clears the draft; where there
// is nothing of that, the second one in a row opens what one can go back to.
func (m *Model) escape() tea.Cmd {
	switch {
	case m.popup.open():
		line := m.popup.line
		m.popup.close()
		m.popup.line = line // it is not proposed for again
	case m.turn.running:
		m.interrupt()
	case !m.input.Empty():
		m.clearDraft()
	case m.hint.rewinds && !m.opts.Now().After(m.hint.until):
		m.hint = hint{}
		return m.runCommand("/rewind")
	default:
		m.showHint("Esc again goes back to an earlier message", false)
		m.hint.rewinds = true
	}
	return nil
}

// clearDraft empties the input; Up brings back what was in it.
func (m *Model) clearDraft() {
	m.keepPastes()
	m.prompts.Add(m.input.Value())
	m.input.Clear()
	m.popup.close()
}

func (m *Model) interrupt() {
	m.turn.interrupting = m.turn.running
	m.opts.Driver.Interrupt()
}

// controlD quits; while a turn runs it asks once.
func (m *Model) controlD() tea.Cmd {
	if m.turn.running && !(m.hint.quits && !m.opts.Now().After(m.hint.until)) {
		m.showHint("the turn runs: Ctrl+D again ends it and quits", true)
		return nil
	}
	return tea.Quit
}

// controlC interrupts or clears; the second one in a row quits.
func (m *Model) controlC() tea.Cmd {
	switch {
	case m.hint.quits && !m.opts.Now().After(m.hint.until):
		return tea.Quit
	case m.turn.running:
		m.interrupt()
	default:
		m.clearDraft()
	}
	m.showHint("Ctrl+C again quits", true)
	return nil
}

// upKey moves up in the popup, the text, the queue or the history.
func (m *Model) upKey() (tea.Cmd, bool) {
	switch {
	case m.popup.open():
		m.popup.move(-1)
	case m.input.Up():
	case m.input.Empty() && len(m.held) > 0:
		m.input.Set(m.held[len(m.held)-1])
		m.held = m.held[:len(m.held)-1]
	case m.input.Empty() && len(m.queued) > 0:
		return guarded(func() tea.Msg {
			message, ok := m.opts.Driver.Unqueue(m.ctx)
			return unqueuedMsg{message, ok}
		}), true
	default:
		m.older()
	}
	return nil, true
}

func (m *Model) downKey() bool {
	switch {
	case m.popup.open():
		m.popup.move(1)
	case m.input.Down():
	default:
		m.newer()
	}
	return true
}

func (m *Model) older() {
	m.keepPastes()
	if prompt, ok := m.prompts.Older(m.input.Value()); ok {
		m.recall(prompt)
		m.popup.close()
	}
}

func (m *Model) newer() {
	if prompt, ok := m.prompts.Newer(); ok {
		m.recall(prompt)
		m.popup.close()
	}
}
