package tui

import (
	"strings"

	"agent/internal/tui/edit"
	"agent/internal/tui/style"
)

// inputMark stands before the input, inputIndent before its other rows.
const (
	inputMark   = "> "
	inputIndent = "  "
)

// inputView lays out the input and says where the cursor is.
func (m *Model) inputView(width, height int) ([]string, place) {
	rows, row, col := m.input.View(width-len(inputMark), height)
	asking := m.questions.Asking()
	for i, text := range rows {
		if asking {
			rows[i] = m.theme.Dim.Text(text) // the question owns the keys
		} else {
			rows[i] = m.decorate(text)
		}
	}
	if m.input.Empty() {
		rows[0] = m.theme.Dim.Text(style.Truncate(m.placeholder(), width-len(inputMark)))
	}
	mark := m.theme.User
	if m.shellMode() {
		mark = m.theme.Warn
	}
	return style.Indent(rows, mark.Text(inputMark), inputIndent), place{row, col + len(inputMark)}
}

func (m *Model) placeholder() string {
	switch {
	case m.questions.Asking():
		return "Answer above, or Tab to write a message"
	case m.turn.running:
		return "Type to queue a message"
	}
	return "Ask for something, / for commands, ! shell, ? keys"
}

// decorate dims the labels of long pastes.
func (m *Model) decorate(row string) string {
	if len(m.input.Pastes) == 0 {
		return row
	}
	for i := range m.input.Pastes {
		label := m.input.Pastes.Label(edit.FirstPlaceholder + rune(i))
		if len(label) == 1 { // a sign in the text
			continue
		}
		row = strings.ReplaceAll(row, label, m.theme.Accent.Text(label))
	}
	return row
}
