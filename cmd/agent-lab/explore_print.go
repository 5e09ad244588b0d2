package main

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// printExplored prints the searches by their sizes, with the saving if they had been tasks.
func printExplored(out io.Writer, all []*explored) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	prices := searchPrices()
	sums := make([]float64, len(prices))
	offered := make([]float64, len(prices))
	requests, tokens := 0, 0
	var found []search
	for _, e := range all {
		requests += e.Requests
		for i := range prices {
			sums[i] += e.Cost[i]
			offered[i] += e.Offered[i]
		}
		found = append(found, e.Searches...)
	}
	for _, s := range found {
		tokens += s.Tokens
	}
	fmt.Fprintf(out, "%d recordings, %d requests, %d long searches, %d tokens of calls and results\n", len(all), requests, len(found), tokens)
	row := func(name string, cells ...string) {
		fmt.Fprintf(w, "%s\t", name)
		for _, c := range cells {
			fmt.Fprintf(w, "%s\t", c)
		}
		fmt.Fprintln(w)
	}
	header := []string{"searches"}
	for _, m := range prices {
		header = append(header, m.Name+": pay", "saved", "largest report")
	}
	row("", header...)
	group := func(name string, is func(search) bool) {
		n := 0
		pay, saved, large := make([]int, len(prices)), make([]float64, len(prices)), make([]float64, len(prices))
		for _, s := range found {
			if !is(s) {
				continue
			}
			n++
			for i := range prices {
				saved[i] += s.Gain[i] / sums[i]
				large[i] += s.Large[i] / sums[i]
				if s.Gain[i] > 0 {
					pay[i]++
				}
			}
		}
		cells := []string{fmt.Sprint(n)}
		for i := range prices {
			cells = append(cells, fmt.Sprint(pay[i]), fmt.Sprintf("%.2f%%", 100*saved[i]), fmt.Sprintf("%.2f%%", 100*large[i]))
		}
		row(name, cells...)
	}
	group("all", func(search) bool { return true })
	for _, by := range []struct {
		name  string
		steps []int
		of    func(search) int
	}{
		{"tokens", []int{0, 5000, 10_000, 20_000, 40_000, 1 << 40}, func(s search) int { return s.Tokens }},
		{"files", []int{0, 1, 3, 6, 10, 1 << 40}, func(s search) int { return s.Files }},
		{"calls", []int{5, 7, 10, 15, 20, 1 << 40}, func(s search) int { return s.Calls }},
		{"context before", []int{0, 10_000, 30_000, 60_000, 1 << 40}, func(s search) int { return s.Before }},
		{"requests after", []int{0, 5, 20, 50, 100, 1 << 40}, func(s search) int { return s.Later }},
	} {
		for i, from := range by.steps[:len(by.steps)-1] {
			to := by.steps[i+1]
			name := fmt.Sprintf("%s from %d to %d", by.name, from, to-1)
			if to == 1<<40 {
				name = fmt.Sprintf("%s from %d", by.name, from)
			}
			group(name, func(s search) bool { return by.of(s) >= from && by.of(s) < to })
		}
	}
	group("report with no room for all", func(s search) bool { return s.Missing > 0 })
	cells := []string{""}
	for i := range prices {
		cells = append(cells, "", fmt.Sprintf("-%.2f%%", 100*offered[i]/sums[i]), "")
	}
	row("the tool's definition", cells...)
	return w.Flush()
}
