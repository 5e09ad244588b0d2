package tui

import (
	"cmp"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"agent/internal/command"
	"agent/internal/tui/edit/vim"
	"agent/internal/tui/keymap"
	"agent/internal/tui/style"
	"agent/internal/tui/term"
)

// doing is an action of the screen. If when is set and returns false, the next action of the key applies
// instead.
type doing struct {
	do   func(*Model) tea.Cmd
	when func(*Model) bool
}

// actions maps the names in the table of keys to the actions of the screen. All other names are
// actions of the editor.
var actions = map[string]doing{
	"send":       {do: (*Model).sendInput},
	"new-line":   {do: actionFunc(func(m *Model) { m.input.Editor.Insert("\n") })},
	"escape":     {do: (*Model).escape},
	"rewind":     {do: func(m *Model) tea.Cmd { return tea.Batch(m.escape(), m.escape()) }},
	"interrupt":  {do: (*Model).controlC},
	"quit":       {do: (*Model).controlD, when: func(m *Model) bool { return m.input.Editor.Empty() }},
	"board":      {do: func(m *Model) tea.Cmd { return m.runCommand(m.opts.BoardCommand) }, when: func(m *Model) bool { return m.opts.BoardCommand != "" && m.input.Editor.Empty() }},
	"up":         {do: (*Model).up},
	"down":       {do: (*Model).down},
	"search":     {do: (*Model).searchPrompts},
	"older":      {do: actionFunc(func(m *Model) { m.input.Typed = m.surface.now(); m.input.Older() })},
	"newer":      {do: actionFunc(func(m *Model) { m.input.Typed = m.surface.now(); m.input.Newer() })},
	"complete":   {do: func(m *Model) tea.Cmd { return guardPanic(m.input.Tab()) }},
	"outputs":    {do: (*Model).openOutputs},
	"image":      {do: (*Model).pasteImage},
	"editor":     {do: (*Model).editOutside},
	"stash":      {do: (*Model).stash},
	"think-more": {do: func(m *Model) tea.Cmd { return m.changeEffort(1) }},
	"think-less": {do: func(m *Model) tea.Cmd { return m.changeEffort(-1) }},
	"background": {do: (*Model).toBackground, when: func(m *Model) bool { return m.commandRuns() || m.jobsRun() }},
	"show-again": {do: actionFunc(func(m *Model) { m.surface.again = true })},
	"suspend":    {do: func(*Model) tea.Cmd { return func() tea.Msg { return lendMsg{run: term.Suspend} } }},
	"mode":       {do: actionFunc(nextMode)},
}

// actionFunc turns a function without a result into an action.
func actionFunc(do func(*Model)) func(*Model) tea.Cmd {
	return func(m *Model) tea.Cmd { do(m); return nil }
}

// Keys returns the list of the current keys for ? and /help.
func Keys(keys *keymap.Map) (list []command.Key) {
	for _, row := range keys.Rows() {
		if labels := row.Labels(); row.Does != "" && len(labels) > 0 {
			list = append(list, command.Key{Name: strings.Join(labels, ", "), Does: row.Does})
		}
	}
	return append(list, command.Key{Name: "?", Does: "on an empty line: list the keys"})
}

// KeyBindings returns the actions and their keys, as /keys lists them.
func KeyBindings(keys *keymap.Map) (list []command.KeyBinding) {
	for _, a := range keys.Actions() {
		labels := make([]string, len(a.Keys))
		for i, key := range a.Keys {
			labels[i] = term.KeyLabel(key)
		}
		b := command.KeyBinding{Action: a.Name, Keys: cmp.Or(strings.Join(labels, ", "), "no key")}
		switch {
		case a.Fixed:
			b.Note = "fixed"
		case a.Own:
			b.Note = "set by you"
		}
		list = append(list, b)
	}
	return list
}

// PlainKeys returns the list of keys in plain mode.
func PlainKeys() []command.Key {
	return []command.Key{
		{Name: "Enter", Does: "send the line, or the answer"},
		{Name: "Ctrl+C", Does: "interrupt; twice quits"},
		{Name: "Ctrl+D", Does: "on an empty line: quit"},
	}
}

// key passes a key to the part that handles keys now. That is the pager, the open question, the open list,
// the help about keys, or the input.
func (m *Model) key(k term.Key) tea.Cmd {
	if m.opts.Pressed != nil {
		m.opts.Pressed()
	}
	switch k.Name {
	case "ctrl+c", "ctrl+d", "esc", "alt+esc":
	default: // any other key cancels the offer of a second press
		if m.surface.hint.quits || m.surface.hint.rewinds {
			m.surface.hint = hint{}
		}
	}
	for _, part := range []func(term.Key) (tea.Cmd, bool){m.readerKey, m.testKey, m.leaveInsert, m.asideKey, m.questionKey, m.chooserKey, m.helpKey, m.vimKey, m.boundKey} {
		if cmd, taken := part(k); taken {
			return cmd
		}
	}
	m.input.Type(k.Text, m.surface.now())
	return guardPanic(m.input.Propose())
}

// asideKey handles an Esc that cancels the side question. The open approval prompts of the turn stay open.
func (m *Model) asideKey(k term.Key) (tea.Cmd, bool) {
	if k.Name != "esc" || !m.activity.aside || m.chooser.picking != nil || m.input.IsProposing() {
		return nil, false
	}
	m.opts.Driver.EndAside()
	return nil, true
}

// chooserKey passes a key to the open list. Searching in the list counts as typing.
func (m *Model) chooserKey(k term.Key) (tea.Cmd, bool) {
	if m.chooser.picking != nil {
		m.input.Typed = m.surface.now()
	}
	return m.chooser.key(k)
}

// boundKey runs the action of a key from the table of keys. It returns false for keys that type, and for
// keys without an action.
func (m *Model) boundKey(k term.Key) (tea.Cmd, bool) {
	if k.IsText() {
		return nil, false
	}
	for _, name := range m.surface.keys.ActionsOf(k.Name) {
		action, ours := actions[name]
		switch {
		case !ours:
			m.input.Do(name, m.surface.now())
			return guardPanic(m.input.Propose()), true
		case action.when == nil || action.when(m):
			return action.do(m), true
		}
	}
	return nil, false
}

// leaveInsert handles an Esc that ends the insert mode of Vim. This Esc has no other effect, even
// while a question waits for the user to finish a message.
func (m *Model) leaveInsert(k term.Key) (tea.Cmd, bool) {
	esc := k.Name == "esc" || k.Name == "alt+esc"
	if !esc || !m.surface.settings().Vim || m.input.Vim.Mode != vim.Insert || m.questions.IsAsking() || m.chooser.picking != nil {
		return nil, false
	}
	m.input.VimKey(term.Key{Name: "esc"}, m.surface.now())
	if k.Name == "alt+esc" { // the terminal joined two Esc; the second belongs to normal mode
		return m.key(term.Key{Name: "esc"}), true
	}
	return nil, true
}

func (m *Model) vimKey(k term.Key) (tea.Cmd, bool) {
	if !m.surface.settings().Vim {
		return nil, false
	}
	action, taken := m.input.VimKey(k, m.surface.now())
	if action == "" {
		return nil, taken
	}
	cmd := actions[action].do(m)
	m.input.Vim.ClampCursor(&m.input.Editor)
	return cmd, true
}

// testKey names the action of a key, after /keys, instead of running it. Esc or a question ends the test.
// Two characters in a row count as the beginning of a message, and both are typed.
func (m *Model) testKey(k term.Key) (tea.Cmd, bool) {
	if !m.testing || m.questions.IsOpen() {
		m.testing = false
		return nil, false
	}
	does, before := "does nothing", m.tested
	m.tested = ""
	switch names := m.surface.keys.ActionsOf(k.Name); {
	case k.Name == "esc":
		m.testing, m.surface.hint = false, hint{}
		return nil, true
	case k.IsText() && before != "":
		m.testing, m.surface.hint = false, hint{}
		m.input.Type(before, m.surface.now())
		return nil, false
	case k.IsText():
		does, m.tested = "types", k.Text
	case len(names) > 0:
		does = "runs " + strings.Join(names, ", otherwise ")
	}
	m.surface.showHint(style.Clean(k.Name)+" "+does+" · Esc ends the test", false)
	return nil, true
}

// helpKey handles a ? on an empty line, which shows the keys. The next key hides them and has its usual
// effect; Esc only hides them.
func (m *Model) helpKey(k term.Key) (tea.Cmd, bool) {
	shown := m.keysShown
	m.keysShown = !shown && k.IsText() && k.Text == "?" && m.input.Editor.Empty()
	return nil, m.keysShown || shown && k.Name == "esc"
}

// keysView lists the keys, in two columns if they fit. It shows at most room rows, and refers to
// /help for the rest.
func keysView(t *style.Theme, keys []command.Key, width, room int) []string {
	if room <= 0 {
		return nil
	}
	const gap = "  "
	half := (len(keys) + 1) / 2
	left, right := keyColumn(keys[:half]), keyColumn(keys[half:])
	var rows []string
	if widest := style.Width(left[0]); len(gap)+widest+len(gap)+style.Width(right[0]) <= width {
		right = append(right, "")
		for i := range left {
			rows = append(rows, gap+left[i]+gap+right[i])
		}
	} else {
		for _, cell := range keyColumn(keys) {
			rows = append(rows, style.HangingWrap(gap+strings.TrimRight(cell, " "), width)...)
		}
	}
	if len(rows) > room {
		rows = append(rows[:room-1], "  … /help shows all")
	}
	for i, row := range rows {
		rows[i] = t.Dim.Text(style.Truncate(strings.TrimRight(row, " "), width))
	}
	return rows
}

// keyColumn returns keys with their descriptions, padded to one width.
func keyColumn(keys []command.Key) []string {
	named, does := 0, 0
	for _, key := range keys {
		named, does = max(named, style.Width(key.Name)), max(does, style.Width(key.Does))
	}
	cells := make([]string, len(keys))
	for i, key := range keys {
		cells[i] = key.Name + strings.Repeat(" ", named-style.Width(key.Name)+2) + key.Does + strings.Repeat(" ", does-style.Width(key.Does))
	}
	return cells
}
