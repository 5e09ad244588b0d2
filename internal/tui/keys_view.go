package tui

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"agent/internal/tui/style"
	"agent/internal/tui/term"
)

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
