package tui

import (
	"strings"

	"agent/internal/command"
)

// contextBar draws the window by kind: the letters of the table below it, on a
// ground of their colour where there are colours. The threshold is marked.
func (t *theme) contextBar(bar command.Bar, width int) string {
	width = min(width, textColumns) - 2
	if len(bar.Segments) == 0 || width < len(bar.Segments) {
		return ""
	}
	var line strings.Builder
	at, mark := 0, bar.MarkCell(width)
	for i, cells := range bar.Cells(width) {
		segment := bar.Segments[i]
		style := t.bar[i%len(t.bar)]
		if segment.Free {
			style = t.dim
		}
		text := strings.Repeat(segment.Letter, cells)
		if mark >= at && mark < at+cells {
			before, after := text[:mark-at], text[mark-at+1:]
			line.WriteString(style.text(before) + t.strong.text("|") + style.text(after))
		} else {
			line.WriteString(style.text(text))
		}
		at += cells
	}
	return "[" + line.String() + "]"
}
