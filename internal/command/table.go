package command

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// column aligns a column of a table.
type column int

const (
	left column = iota
	right
)

// table lines rows up in columns two spaces apart. The last column is not
// padded. Rows may be shorter than columns.
func table(columns []column, rows [][]string) []string {
	widths := make([]int, len(columns))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], ansi.StringWidth(cell))
		}
	}
	lines := make([]string, len(rows))
	for i, row := range rows {
		var line strings.Builder
		for j, cell := range row {
			if j > 0 {
				line.WriteString("  ")
			}
			padding := strings.Repeat(" ", widths[j]-ansi.StringWidth(cell))
			if columns[j] == right {
				line.WriteString(padding)
			}
			line.WriteString(cell)
			if columns[j] == left {
				line.WriteString(padding)
			}
		}
		lines[i] = strings.TrimRight(line.String(), " ")
	}
	return lines
}

// cutLeft shortens text to width from its beginning: the end of a path says more.
func cutLeft(text string, width int) string {
	if over := ansi.StringWidth(text) - width; over > 0 {
		return ansi.TruncateLeft(text, over+1, "…")
	}
	return text
}

// cutRight shortens text to width at its end.
func cutRight(text string, width int) string { return ansi.Truncate(text, width, "…") }
