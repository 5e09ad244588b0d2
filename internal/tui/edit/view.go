package edit

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"agent/internal/tui/style"
)

// View lays the text out in rows of width cells and returns at most height of them,
// those around the cursor, and where the cursor is among them. Only lines that can
// be visible are laid out.
func (e *Editor) View(width, height int) (rows []string, row, col int) {
	width, height = max(2, width), max(1, height)
	rows, row, col = e.layout(e.Text[e.lineStart():e.lineEnd()], e.Cursor-e.lineStart(), width)
	above, below := e.lineStart(), e.lineEnd()
	for len(rows) < 2*height && (above > 0 || below < len(e.Text)) {
		if above > 0 {
			start := strings.LastIndexByte(e.Text[:above-1], '\n') + 1
			more, _, _ := e.layout(e.Text[start:above-1], 0, width)
			rows = append(more, rows...)
			row += len(more)
			above = start
		}
		if below < len(e.Text) {
			end := len(e.Text)
			if i := strings.IndexByte(e.Text[below+1:], '\n'); i >= 0 {
				end = below + 1 + i
			}
			more, _, _ := e.layout(e.Text[below+1:end], 0, width)
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

// layout breaks one line into rows and finds a position in them. A cursor behind a
// full row is at the start of the next one.
func (e *Editor) layout(line string, cursor, width int) (rows []string, row, col int) {
	var b strings.Builder
	used := 0
	for at := 0; ; {
		if at == cursor {
			row, col = len(rows), used
			if used >= width {
				row, col = row+1, 0
			}
		}
		if at >= len(line) {
			break
		}
		cluster := line[at : at+clusterLength(line[at:])]
		at += len(cluster)
		for _, piece := range e.pieces(cluster, used) {
			w := style.Width(piece)
			if used+w > width && used > 0 {
				rows = append(rows, b.String())
				b.Reset()
				used = 0
			}
			b.WriteString(piece)
			used += w
		}
	}
	rows = append(rows, b.String())
	if row == len(rows) {
		rows = append(rows, "")
	}
	return rows, row, col
}

// pieces is what a cluster looks like, in unbreakable pieces.
func (e *Editor) pieces(cluster string, column int) []string {
	switch r := []rune(cluster)[0]; {
	case r == '\t':
		return strings.Split(strings.Repeat(" ", style.TabWidth-column%style.TabWidth), "")
	case isPlaceholder(r):
		return strings.SplitAfter(e.Pastes.Label(r), "")
	case style.IsInvisible(r) || ansi.StringWidth(cluster) == 0:
		return []string{"�"}
	}
	return []string{cluster}
}
