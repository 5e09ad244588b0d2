package main

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"agent/internal/settings"
	"agent/internal/words"
)

// modelColumn is a column of the table of models. Those that are worth least go first
// where there is no room for all.
type modelColumn struct {
	head  string
	worth int
	cell  func(modelRow) string
}

var modelColumns = []modelColumn{
	{"PROVIDER", 4, func(r modelRow) string { return r.Provider }},
	{"MODEL", 5, func(r modelRow) string { return words.Line(r.ID, 0) }},
	{"WINDOW", 3, func(r modelRow) string { return windowCell(r.Window) }},
	{"PRICES", 2, func(r modelRow) string { return priceCell(r.Prices) }},
	{"EFFORTS", 0, func(r modelRow) string { return strings.Join(r.Efforts, ",") }},
	{"IMAGES", 1, func(r modelRow) string { return yesCell(r.Images) }},
}

// columnGap is between two columns.
const columnGap = "  "

// modelTable lays models out in at most width columns, 0 for as many as it takes: less
// worthy columns are left out, at last the names are cut.
func modelTable(rows []modelRow, width int) []string {
	columns := make([][]string, len(modelColumns))
	widths := make([]int, len(modelColumns))
	for i, column := range modelColumns {
		columns[i] = append(columns[i], column.head)
		for _, row := range rows {
			columns[i] = append(columns[i], column.cell(row))
		}
		for _, cell := range columns[i] {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	least := leastWorth(widths, width)
	lines := make([]string, len(rows)+1)
	for y := range lines {
		var line strings.Builder
		for i, column := range modelColumns {
			if column.worth < least {
				continue
			}
			if line.Len() > 0 {
				line.WriteString(columnGap)
			}
			cell := columns[i][y]
			line.WriteString(cell + strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)))
		}
		lines[y] = strings.TrimRight(line.String(), " ")
		if whole := []rune(lines[y]); width > 0 && len(whole) > width {
			lines[y] = string(whole[:width-1]) + "…"
		}
	}
	return lines
}

// leastWorth is what a column must be worth for those that are left to fit.
func leastWorth(widths []int, width int) int {
	const name = 5
	for least := range name {
		total := -len(columnGap)
		for i, column := range modelColumns {
			if column.worth >= least {
				total += widths[i] + len(columnGap)
			}
		}
		if width == 0 || total <= width {
			return least
		}
	}
	return name
}

func windowCell(tokens int) string {
	if tokens == 0 {
		return "?"
	}
	return words.Tokens(tokens)
}

func priceCell(p *settings.Prices) string {
	if p == nil {
		return "?"
	}
	price := func(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
	return strings.Join([]string{price(p.Input), price(p.Output), price(p.CacheRead), price(p.CacheWrite)}, " / ")
}

func yesCell(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}
