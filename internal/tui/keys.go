package tui

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"agent/internal/command"
	"agent/internal/tui/pager"
	"agent/internal/tui/term"
)

// binding is a line of the table of keys: what people read of them, in the program and in
// the guide, and what they do.
type binding struct {
	// Key is shown by ? and /help; what is empty in Does is not shown there.
	command.Key
	// guide is what docs/guide.md says, empty where its text says it.
	guide string
	// acts are what the keys do, each by its own names. Keys without acts are the line
	// editor's.
	acts []act
}

// act is what keys do, by their names.
type act struct {
	names []string
	do    func(*Model) tea.Cmd
}

// on binds keys to what they do.
func on(do func(*Model) tea.Cmd, names ...string) act { return act{names, do} }

// bindings are the keys that do more than edit.
func bindings() []binding {
	row := func(name, does, guide string, acts ...act) binding {
		return binding{command.Key{Name: name, Does: does}, guide, acts}
	}
	return []binding{
		row("Enter", "send, or queue while the agent works", "", on((*Model).enter, "enter")),
		row("Alt+Enter, Ctrl+J", `new line; \ and Enter do it too`, "", on((*Model).newLine, "alt+enter", "ctrl+j")),
		row("Esc", "interrupt; else clear the draft", "interrupts the turn; without one, clears the draft (Up brings it back)", on((*Model).escape, "esc")),
		row("Esc Esc", "on an empty line: rewind", "on an empty line: goes back to an earlier message", on((*Model).escapeTwice, "alt+esc")),
		row("Ctrl+C", "clear or interrupt; twice quits", "interrupts the turn; without one, clears the draft; twice quits", on((*Model).controlC, "ctrl+c")),
		row("Ctrl+D", "on an empty line: quit", "quits on an empty line; asks once while a turn runs", on((*Model).controlD, "ctrl+d")),
		row("Up, Down, Ctrl+R", "earlier prompts; Up also unqueues", "", on((*Model).searchPrompts, "ctrl+r")),
		row("Up, Down", "", "earlier prompts, kept across sessions", on((*Model).up, "up"), on((*Model).down, "down"), on((*Model).older, "ctrl+p"), on((*Model).newer, "ctrl+n")),
		row("Ctrl+R", "", "the same as a list: type words of what you look for"),
		row("Tab", "", "completes commands, settings, models, profiles, and files after `@`", on((*Model).tab, "tab")),
		row("Ctrl+O", "outputs and reasoning in full, ← →", "tool outputs and reasoning of the session in full, with the keys of less; ← → go through them, q comes back", on((*Model).openOutputs, "ctrl+o")),
		row("Ctrl+V", "the image on the clipboard", "", on((*Model).pasteImage, "ctrl+v")),
		row("Ctrl+G", "edit the prompt in $EDITOR", "edit the prompt in `$EDITOR`", on((*Model).editOutside, "ctrl+g")),
		row("Ctrl+_, Alt+_", "undo and redo in the prompt", "undo and redo in the prompt"),
		row("Ctrl+L", "show the conversation again", "shows the conversation again", on((*Model).showAgain, "ctrl+l")),
		row("Ctrl+Z", "to your shell; fg comes back", "", on((*Model).suspend, "ctrl+z")),
		row("Shift+Tab", "next approval mode", "next approval mode", on((*Model).nextMode, "shift+tab")),
		row("?", "on an empty line: these keys", ""),
	}
}

// Keys are what ? and /help list.
func Keys() (keys []command.Key) {
	for _, b := range bindings() {
		if b.Does != "" {
			keys = append(keys, b.Key)
		}
	}
	return keys
}

// PlainKeys are the keys where nothing but lines is printed and read.
func PlainKeys() []command.Key {
	return []command.Key{
		{Name: "Enter", Does: "send the line, or answer with it"},
		{Name: "Ctrl+C", Does: "end the program"},
		{Name: "Ctrl+D", Does: "on an empty line: quit"},
	}
}

// key gives a key to the part that owns it: what is read, the question that waits, the
// list that is open, the keys that are shown, or the input.
func (m *Model) key(k term.Key) tea.Cmd {
	switch k.Name {
	case "ctrl+c", "ctrl+d", "esc", "alt+esc":
	default: // what a second key in a row would do
		if m.hint.quits || m.hint.rewinds {
			m.hint = hint{}
		}
	}
	for _, part := range []func(term.Key) (tea.Cmd, bool){m.reader.key, m.questionKey, m.chooserKey, m.helpKey, m.boundKey} {
		if cmd, taken := part(k); taken {
			return cmd
		}
	}
	m.input.Type(k, m.opts.Now())
	return guarded(m.input.Propose())
}

// chooserKey gives a key to the list that is open: searching it is typing too.
func (m *Model) chooserKey(k term.Key) (tea.Cmd, bool) {
	if m.chooser.picking != nil {
		m.input.Touch(m.opts.Now())
	}
	return m.chooser.key(k)
}

// boundKey does what the table of keys says. It reports false for the keys of the line
// editor.
func (m *Model) boundKey(k term.Key) (tea.Cmd, bool) {
	if k.Types() || k.Name == "ctrl+d" && !m.input.Empty() {
		return nil, false
	}
	for _, b := range bindings() {
		for _, a := range b.acts {
			if slices.Contains(a.names, k.Name) {
				return a.do(m), true
			}
		}
	}
	return nil, false
}

// paste puts pasted text where text is typed. It never sends or answers anything.
func (m *Model) paste(text string) tea.Cmd {
	if m.questions.Paste(text) {
		return nil
	}
	if cmd, taken := m.chooser.paste(text); taken {
		return cmd
	}
	m.input.Paste(text, m.opts.Now())
	return guarded(m.input.Propose())
}

func (m *Model) newLine() tea.Cmd {
	m.input.Insert("\n")
	return nil
}

func (m *Model) nextMode() tea.Cmd {
	m.opts.Driver.CycleMode()
	return nil
}

func (m *Model) showAgain() tea.Cmd {
	m.again = true
	return nil
}

func (m *Model) suspend() tea.Cmd { return lend(term.Suspend, nil) }

func (m *Model) tab() tea.Cmd { return guarded(m.input.Tab()) }

// enter sends, unless the line ends with a backslash: then it continues.
func (m *Model) enter() tea.Cmd {
	taken, runs := m.input.Enter()
	switch {
	case runs:
		return m.submit()
	case taken:
		return guarded(m.input.Propose())
	case m.input.Continues():
		return nil
	}
	m.questions.Ask(m.opts.Now())
	return m.submit()
}

// escape closes the popup, else interrupts the turn, else clears the draft; where there
// is nothing of that, the second one in a row opens what one can go back to.
func (m *Model) escape() tea.Cmd {
	switch {
	case m.input.Proposing():
		m.input.Dismiss()
	case m.activity.turn.running:
		m.interrupt()
	case !m.input.Empty():
		m.input.ClearDraft()
	case m.hint.rewinds && !m.opts.Now().After(m.hint.until):
		m.hint = hint{}
		return m.runCommand("/rewind")
	default:
		m.showHint("Esc again goes back to an earlier message", false)
		m.hint.rewinds = true
	}
	return nil
}

// escapeTwice is what comes of two Esc that follow each other faster than they can be
// told apart from a key with Alt.
func (m *Model) escapeTwice() tea.Cmd { return tea.Batch(m.escape(), m.escape()) }

func (m *Model) interrupt() {
	m.activity.turn.interrupting = m.activity.turn.running
	m.opts.Driver.Interrupt()
}

// controlD quits; while a turn runs it asks once.
func (m *Model) controlD() tea.Cmd {
	if m.activity.turn.running && !(m.hint.quits && !m.opts.Now().After(m.hint.until)) {
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
	case m.activity.turn.running:
		m.interrupt()
	default:
		m.input.ClearDraft()
	}
	m.showHint("Ctrl+C again quits", true)
	return nil
}

// up moves up in the popup, the text, the queue or the history. Going through earlier
// prompts is writing one, too.
func (m *Model) up() tea.Cmd {
	m.input.Touch(m.opts.Now())
	waits := &m.activity
	switch {
	case m.input.Proposing():
		m.input.Pick(-1)
	case m.input.Up():
	case m.input.Empty() && len(waits.shell) > 0:
		m.input.Set(waits.shell[len(waits.shell)-1])
		waits.shell = waits.shell[:len(waits.shell)-1]
	case m.input.Empty() && len(waits.queued) > 0:
		return guarded(func() tea.Msg {
			message, ok := m.opts.Driver.Unqueue(m.ctx)
			return unqueuedMsg{message, ok}
		})
	default:
		m.input.Older()
	}
	return nil
}

func (m *Model) down() tea.Cmd {
	m.input.Touch(m.opts.Now())
	switch {
	case m.input.Proposing():
		m.input.Pick(1)
	case m.input.Down():
	default:
		m.input.Newer()
	}
	return nil
}

func (m *Model) older() tea.Cmd {
	m.input.Touch(m.opts.Now())
	m.input.Older()
	return nil
}

func (m *Model) newer() tea.Cmd {
	m.input.Touch(m.opts.Now())
	m.input.Newer()
	return nil
}

// openOutputs opens the outputs of the session, the newest first, what runs before
// them; what was said before it was taken up again comes last.
func (m *Model) openOutputs() tea.Cmd {
	if m.activity.nothingToRead() {
		m.showHint("there is no tool output yet", false)
		return nil
	}
	m.reader.openPages(func() []pager.Page { return m.activity.outputPages() })
	return m.activity.readSpools()
}
