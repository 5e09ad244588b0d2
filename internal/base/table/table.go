// Package table aligns texts in columns, two spaces apart.
package table

import (
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

const gap = "  "

// Lines aligns rows in columns. align has a letter for each column: l for left, r for right. Rows
// may have fewer cells. Lines have no trailing spaces.
func Lines(align string, rows [][]string) []string {
	widths := make([]int, len(align))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], ansi.StringWidth(cell))
		}
	}
	lines := make([]string, len(rows))
	for i, row := range rows {
		cells := make([]string, len(row))
		for j, cell := range row {
			cells[j] = cell + strings.Repeat(" ", widths[j]-ansi.StringWidth(cell))
			if align[j] == 'r' {
				cells[j] = strings.Repeat(" ", widths[j]-ansi.StringWidth(cell)) + cell
			}
		}
		lines[i] = strings.TrimRight(strings.Join(cells, gap), " ")
	}
	return lines
}

// A Column is a column of a table with a heading.
type Column struct {
	Head string
	// Priority ranks the columns. If not all columns fit, the columns with the lowest priority are
	// omitted first.
	Priority int
}

// Fit arranges rows below the headings of their columns. width is the greatest width in terminal
// columns, 0 for no limit. Fit omits empty columns, then the columns with the lowest priority until
// the others fit. If the result is still too wide, it cuts the lines.
func Fit(columns []Column, rows [][]string, width int) []string {
	heads := make([]string, len(columns))
	holds := make([]bool, len(columns))
	most := 0
	for i, column := range columns {
		heads[i] = column.Head
		holds[i] = slices.ContainsFunc(rows, func(row []string) bool { return row[i] != "" })
		if holds[i] {
			most = max(most, column.Priority)
		}
	}
	all := append([][]string{heads}, rows...)
	var lines []string
	for least := range most + 1 {
		stays := func(i int) bool { return holds[i] && columns[i].Priority >= least }
		lines = Lines(strings.Repeat("l", len(columns)), choose(all, stays))
		if width == 0 || widest(lines) <= width {
			return lines
		}
	}
	for i, line := range lines {
		lines[i] = ansi.Truncate(line, width, "…")
	}
	return lines
}

func choose(rows [][]string, keep func(column int) bool) [][]string {
	chosen := make([][]string, len(rows))
	for y, row := range rows {
		for i, cell := range row {
			if keep(i) {
				chosen[y] = append(chosen[y], cell)
			}
		}
	}
	return chosen
}

func widest(lines []string) int {
	width := 0
	for _, line := range lines {
		width = max(width, ansi.StringWidth(line))
	}
	return width
}
