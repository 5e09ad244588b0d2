package main

import (
	"math"
	"strconv"
	"strings"

	"agent/internal/settings"
	"agent/internal/table"
	"agent/internal/words"
)

var modelColumns = []table.Column{
	{Head: "provider", Worth: 4},
	{Head: "model", Worth: 5},
	{Head: "window", Worth: 3},
	{Head: "$ in/out/read/write", Worth: 2},
	{Head: "efforts", Worth: 0},
	{Head: "images", Worth: 0},
	{Head: "family, edits by", Worth: 1},
}

// modelTable arranges models in at most width columns, 0 for as many as it takes.
func modelTable(models []modelRow, width int) []string {
	rows := make([][]string, len(models))
	for i, m := range models {
		rows[i] = []string{m.Provider, words.Line(m.ID, 0), windowCell(m.Window), priceCell(m.Prices), strings.Join(m.Efforts, ","), yesCell(m.Images), familyCell(m)}
	}
	return table.Fit(modelColumns, rows, width)
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

// familyCell is the family of a model and how it edits, as the settings model-family and
// edit-tool call them.
func familyCell(r modelRow) string {
	if r.Family == "" {
		return ""
	}
	return r.Family + ", " + r.Edits
}

func yesCell(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}
