package tui

import (
	"strings"

	"agent/internal/command"
	"agent/internal/tui/markdown"
	"agent/internal/tui/style"
)

// contextBar draws the window by kind: the letters of the table below it, on a
// ground of their colour where there are colours. The threshold is marked.
func contextBar(t *style.Theme, bar command.Bar, width int) string {
	width = min(width, markdown.TextColumns) - 2
	if len(bar.Segments) == 0 || width < len(bar.Segments) {
		return ""
	}
	var line strings.Builder
	at, mark := 0, bar.MarkCell(width)
	for i, cells := range bar.Cells(width) {
		segment := bar.Segments[i]
		look := t.Bar[i%len(t.Bar)]
		if segment.Free {
			look = t.Dim
		}
		text := strings.Repeat(segment.Letter, cells)
		if mark >= at && mark < at+cells {
			before, after := text[:mark-at], text[mark-at+1:]
			line.WriteString(look.Text(before) + t.Strong.Text("|") + look.Text(after))
		} else {
			line.WriteString(look.Text(text))
		}
		at += cells
	}
	return "[" + line.String() + "]"
}
