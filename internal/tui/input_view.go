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
	if m.shellMode() && strings.HasPrefix(rows[0], "!") && !asking {
		return m.shellView(rows, place{row, col})
	}
	return style.Indent(rows, m.theme.User.Text(inputMark), inputIndent), place{row, col + len(inputMark)}
}

// shellView makes of the signs that a line for the shell begins with the mark before it.
func (m *Model) shellView(rows []string, cursor place) ([]string, place) {
	line := strings.TrimPrefix(rows[0], "!")
	mark := "! "
	if rest, private := strings.CutPrefix(line, "!"); private {
		line, mark = rest, "!! "
	}
	signs := len(mark) - 1
	if rest, spaced := strings.CutPrefix(line, " "); spaced {
		line = rest
		signs++
	}
	if cursor.row == 0 {
		cursor.col = max(0, cursor.col-signs) + len(mark)
	} else {
		cursor.col += len(inputIndent)
	}
	rows[0] = line
	return style.Indent(rows, m.theme.Warn.Text(mark), inputIndent), cursor
}

func (m *Model) placeholder() string {
	switch {
	case m.questions.Explaining():
		return "Say it above"
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
