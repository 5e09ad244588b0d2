package tui

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"agent/internal/command"
	"agent/internal/tui/style"
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
		row("Ctrl+O", "outputs and reasoning in full, ← →", "tool outputs, reasoning and what was said in full, with the keys of less; ← → go through them, `/` searches all of them, q comes back", on((*Model).openOutputs, "ctrl+o")),
		row("Ctrl+V", "the image on the clipboard", "", on((*Model).pasteImage, "ctrl+v")),
		row("Ctrl+G", "edit the prompt in $EDITOR", "edit the prompt in `$EDITOR`", on((*Model).editOutside, "ctrl+g")),
		row("Ctrl+S", "put the draft aside, and back", "puts the draft aside, and brings it back; sending something else brings it back too", on((*Model).stash, "ctrl+s")),
		row("Alt+., Alt+,", "the model thinks more, less", "the model thinks more, or less (`reasoning.effort`)", on((*Model).thinkMore, "alt+."), on((*Model).thinkLess, "alt+,")),
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
		{Name: "Ctrl+C", Does: "interrupt; twice quits"},
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

// helpKey takes a ? on an empty line, which shows the keys. They go at the next key;
// that one is for whom it would be for, but for Esc, which has done what it was for.
func (m *Model) helpKey(k term.Key) (tea.Cmd, bool) {
	shown := m.keysShown
	m.keysShown = !shown && k.Types() && k.Text == "?" && m.input.Empty()
	return nil, m.keysShown || shown && k.Name == "esc"
}

// keysView lists the keys in as many columns as fit; what does not fit into room rows
// is in /help.
func (m *Model) keysView(width, room int) []string {
	if room <= 0 {
		return nil
	}
	keys := Keys()
	named := 0
	for _, key := range keys {
		named = max(named, style.Width(key.Name))
	}
	cells := make([]string, len(keys))
	widest := 0
	for i, key := range keys {
		cells[i] = key.Name + strings.Repeat(" ", named-style.Width(key.Name)) + "  " + key.Does
		widest = max(widest, style.Width(cells[i])+2)
	}
	height := len(cells)
	if 2*widest <= width {
		height = (len(cells) + 1) / 2
	}
	var rows []string
	for i := range height {
		row := cells[i]
		if i+height < len(cells) {
			row += strings.Repeat(" ", widest-style.Width(row)) + cells[i+height]
		}
		rows = append(rows, m.theme.Dim.Text("  "+style.Truncate(row, width-2)))
	}
	if len(rows) > room {
		rows = append(rows[:room-1], m.theme.Dim.Text(style.Truncate("  … /help shows all", width)))
	}
	return rows
}
