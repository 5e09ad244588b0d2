package main

import (
	"math"
	"slices"
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
	{"provider", 4, func(r modelRow) string { return r.Provider }},
	{"model", 5, func(r modelRow) string { return words.Line(r.ID, 0) }},
	{"window", 3, func(r modelRow) string { return windowCell(r.Window) }},
	{"$ in/out/read/write", 2, func(r modelRow) string { return priceCell(r.Prices) }},
	{"efforts", 0, func(r modelRow) string { return strings.Join(r.Efforts, ",") }},
	{"images", 1, func(r modelRow) string { return yesCell(r.Images) }},
}

// columnGap is between two columns.
const columnGap = "  "

// modelTable lays models out in at most width columns, 0 for as many as it takes: columns
// that hold nothing are left out, then less worthy ones, at last the names are cut.
func modelTable(rows []modelRow, width int) []string {
	columns := make([][]string, len(modelColumns))
	widths := make([]int, len(modelColumns))
	for i, column := range modelColumns {
		for _, row := range rows {
			cell := column.cell(row)
			columns[i] = append(columns[i], cell)
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
		columns[i] = slices.Insert(columns[i], 0, column.head)
		if widths[i] > 0 { // else nothing is known
			widths[i] = max(widths[i], utf8.RuneCountInString(column.head))
		}
	}
	least := leastWorth(widths, width)
	lines := make([]string, len(rows)+1)
	for y := range lines {
		var line strings.Builder
		for i, column := range modelColumns {
			if column.worth < least || widths[i] == 0 {
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
			if column.worth >= least && widths[i] > 0 {
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
	const digits = 1e6 // what prices per token leave behind when they are made those of a million is not meant
	price := func(x float64) string { return strconv.FormatFloat(math.Round(x*digits)/digits, 'f', -1, 64) }
	return strings.Join([]string{price(p.Input), price(p.Output), price(p.CacheRead), price(p.CacheWrite)}, " / ")
}

func yesCell(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}
