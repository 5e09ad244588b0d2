package tui

import (
	"strings"
)

// inputMark stands before the input, inputIndent before its other rows.
const (
	inputMark   = "> "
	inputIndent = "  "
)

// inputView lays out the input and says where the cursor is.
func (m *Model) inputView(width, height int) ([]string, place) {
	if m.search != nil {
		return m.searchView(width, height)
	}
	rows, row, col := m.input.view(width-len(inputMark), height)
	for i, text := range rows {
		rows[i] = m.decorate(text)
	}
	if m.input.empty() {
		rows[0] = m.theme.dim.text(truncate(m.placeholder(), width-len(inputMark)))
	}
	return indent(rows, m.theme.user.text(inputMark), inputIndent), place{true, row, col + len(inputMark)}
}

func (m *Model) placeholder() string {
	if m.turn.running {
		return "Type to queue a message"
	}
	return "Ask for something, / for commands, ! for a shell command"
}

// decorate dims the labels of long pastes.
func (m *Model) decorate(row string) string {
	if len(m.input.pastes) == 0 {
		return row
	}
	for i := range m.input.pastes {
		label := m.input.pastes.label(firstPlaceholder + rune(i))
		row = strings.ReplaceAll(row, label, m.theme.accent.text(label))
	}
	return row
}

// searchView shows the search in place of the input.
func (m *Model) searchView(width, height int) ([]string, place) {
	s := m.search
	head := "search: " + clean(s.query)
	found := editor{}
	switch {
	case s.found >= 0:
		found.set(m.prompts.entries[s.found])
	case s.query != "":
		head = "nothing found: " + clean(s.query)
	}
	found.cursor = 0
	head = truncate(head, width-1)
	rows := []string{m.theme.accent.text(head)}
	if !found.empty() && height > 1 {
		more, _, _ := found.view(width-len(inputIndent), height-1)
		rows = append(rows, indentAll(more, inputIndent)...)
	}
	return rows, place{true, 0, textWidth(head)}
}
