package edit

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"agent/internal/tui/style"
)

// Selection is a range of the text, in bytes, that is highlighted.
type Selection struct {
	From, To int
	Look     style.Style
}

// text returns a piece of a row, which begins at position at, highlighted if it is in the selection.
func (s Selection) text(at int, piece string) string {
	if at < s.From || at >= s.To {
		return piece
	}
	return s.Look.Text(piece)
}

// View lays out the text in rows of width cells. It returns at most height rows around the cursor, and the
// cursor's position in these rows. It lays out only lines that can be visible.
func (e *Editor) View(width, height int) (rows []string, row, col int) {
	width, height = max(2, width), max(1, height)
	rows, row, col = e.layout(e.lineStart(), e.lineEnd(), e.Cursor, width)
	above, below := e.lineStart(), e.lineEnd()
	for len(rows) < 2*height && (above > 0 || below < len(e.Text)) {
		if above > 0 {
			start := strings.LastIndexByte(e.Text[:above-1], '\n') + 1
			more, _, _ := e.layout(start, above-1, start, width)
			rows = append(more, rows...)
			row += len(more)
			above = start
		}
		if below < len(e.Text) {
			end := len(e.Text)
			if i := strings.IndexByte(e.Text[below+1:], '\n'); i >= 0 {
				end = below + 1 + i
			}
			more, _, _ := e.layout(below+1, end, below+1, width)
			rows = append(rows, more...)
			below = end
		}
	}
	top := min(max(0, row-height/2), max(0, len(rows)-height))
	if above == 0 && row < height {
		top = 0
	}
	return rows[top:min(len(rows), top+height)], row - top, col
}

// cell is an unbreakable part of a row: a cluster or a part of its label.
type cell struct {
	text  string
	width int
	// at is the position of the cluster in the text.
	at    int
	space bool
}

// layout breaks the line between from and to into rows, between words if possible, and finds the cursor in
// them. A cursor after a full row is at the start of the next row.
func (e *Editor) layout(from, to, cursor, width int) (rows []string, row, col int) {
	var cells []cell
	column := 0
	for at := from; at < to; {
		cluster := e.Text[at : at+clusterLength(e.Text[at:to])]
		for _, piece := range e.pieces(cluster, column) {
			w := style.Width(piece)
			cells = append(cells, cell{piece, w, at, cluster == " "})
			column += w
		}
		at += len(cluster)
	}
	row = -1
	for start := 0; start < len(cells) || len(rows) == 0; {
		end := rowEnd(cells[start:], width) + start
		var b strings.Builder
		used := 0
		for _, c := range cells[start:end] {
			if row < 0 && c.at >= cursor {
				row, col = len(rows), used
			}
			b.WriteString(e.Selected.text(c.at, c.text))
			used += c.width
		}
		rows = append(rows, b.String())
		if end == len(cells) {
			if row < 0 {
				row, col = len(rows)-1, used
			}
			break
		}
		start = end
	}
	if col >= width {
		row, col = row+1, 0
		if row == len(rows) {
			rows = append(rows, "")
		}
	}
	return rows, row, col
}

// rowEnd returns the number of cells that fit in a row. If a word would be broken, the row ends after the
// last space.
func rowEnd(cells []cell, width int) int {
	used, space := 0, 0
	for i, c := range cells {
		if used+c.width > width && i > 0 {
			if space > 0 && !c.space {
				return space
			}
			return i
		}
		used += c.width
		if c.space {
			space = i + 1
		}
	}
	return len(cells)
}

// pieces returns the displayed form of a cluster, in unbreakable pieces.
func (e *Editor) pieces(cluster string, column int) []string {
	switch r := []rune(cluster)[0]; {
	case r == '\t':
		return strings.Split(strings.Repeat(" ", style.TabWidth-column%style.TabWidth), "")
	case isPlaceholder(r):
		return strings.SplitAfter(style.Reveal(e.Pastes.Label(r)).Text, "")
	case strings.ContainsFunc(cluster, style.IsHiding) || ansi.StringWidth(cluster) == 0:
		return []string{"�"}
	}
	return []string{cluster}
}
