package tools

import (
	"slices"
	"strings"
)

// nearest returns up to n of the names that a person or a model may have meant by
// word, closest first: those that differ in about a third of their letters at most,
// letter case aside.
func nearest(word string, names []string, n int) []string {
	type scored struct {
		name     string
		distance int
	}
	var close []scored
	lower := strings.ToLower(word)
	for _, name := range names {
		d := editDistance(lower, strings.ToLower(name))
		if d <= (max(len(word), len(name))+1)/3 {
			close = append(close, scored{name, d})
		}
	}
	slices.SortStableFunc(close, func(a, b scored) int { return a.distance - b.distance })
	found := make([]string, 0, n)
	for _, s := range close[:min(n, len(close))] {
		found = append(found, s.name)
	}
	return found
}

// editDistance counts the insertions, deletions and substitutions of bytes that
// turn a into b.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
