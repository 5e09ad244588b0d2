package input

import (
	"strings"

	"agent/internal/tui/edit"
	"agent/internal/tui/style"
)

// mark is printed before the first row of the prompt, indent before the other rows.
const (
	mark   = "> "
	indent = "  "
)

// ViewState holds the state of the screen that affects the display of the prompt.
type ViewState struct {
	// Placeholder is shown while the prompt is empty.
	Placeholder string
	// Dim is set while the keys are not for the prompt.
	Dim bool
	// Vim is set if the prompt uses the keys of Vim.
	Vim bool
}

// View lays out the prompt in at most height rows and returns the position of the cursor.
func (in *Input) View(t *style.Theme, look ViewState, width, height int) (rows []string, row, col int) {
	mark, indent := mark, indent
	in.Editor.Selected = edit.Selection{}
	if look.Vim {
		mark, indent = in.Vim.Mode.Letter()+mark, " "+indent
		from, to := in.Vim.SelectedRange(&in.Editor)
		in.Editor.Selected = edit.Selection{From: from, To: to, Look: t.Mark}
	}
	rows, row, col = in.Editor.View(width-len(mark), height)
	for i, text := range rows {
		if look.Dim {
			rows[i] = t.Dim.Text(text)
		} else {
			rows[i] = in.decorate(t, text)
		}
	}
	if in.Editor.Empty() {
		rows[0] = t.Dim.Text(style.Parts(look.Placeholder, ", ", width-len(mark)))
	}
	if in.IsShell() && strings.HasPrefix(rows[0], "!") && !look.Dim {
		return shellView(t, rows, row, col)
	}
	return style.Indent(rows, t.User.Text(mark), indent), row, col + len(mark)
}

// shellView replaces the ! at the beginning of a shell command by the mark before the prompt.
func shellView(t *style.Theme, rows []string, row, col int) ([]string, int, int) {
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
	if row == 0 {
		col = max(0, col-signs) + len(mark)
	} else {
		col += len(indent)
	}
	rows[0] = line
	return style.Indent(rows, t.Warn.Text(mark), indent), row, col
}

// decorate marks the labels of long pastes.
func (in *Input) decorate(t *style.Theme, row string) string {
	for i := range in.Editor.Pastes {
		placeholder := edit.FirstPlaceholder + rune(i)
		label := in.Editor.Pastes.Label(placeholder)
		if len(label) == 1 || !strings.ContainsRune(in.Editor.Text, placeholder) { // nothing to mark
			continue
		}
		row = strings.ReplaceAll(row, label, t.Accent.Text(label))
	}
	return row
}
