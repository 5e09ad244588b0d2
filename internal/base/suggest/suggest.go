// Package suggest finds the name that a user or a model probably meant by a name that does not
// exist. An error can then suggest it.
package suggest

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Similar returns up to n of the candidates that are similar to word, the most likely first. These
// are candidates that differ by typing errors in at most a third of the letters of word. If there
// are none, they are the candidates whose initials are word, or else the candidates that contain
// word. Letter case does not matter.
func Similar(word string, candidates []string, n int) []string {
	type guess struct {
		name   string
		errors int
	}
	lower := strings.ToLower(word)
	limit := max(1, len(lower)/3)
	var guesses []guess
	for _, name := range candidates {
		if errors := typingErrors(lower, strings.ToLower(name)); errors <= limit {
			guesses = append(guesses, guess{name, errors})
		}
	}
	slices.SortStableFunc(guesses, func(a, b guess) int { return a.errors - b.errors })
	names := make([]string, 0, n)
	for _, g := range guesses {
		names = append(names, g.name)
	}
	if len(names) == 0 && len(lower) > 1 {
		for _, name := range candidates {
			if initials(name) == lower {
				names = append(names, name)
			}
		}
	}
	// A word with fewer letters is part of too many names to be a hint.
	const shortest = 3
	if len(names) == 0 && len(lower) >= shortest {
		for _, name := range candidates {
			if strings.Contains(strings.ToLower(name), lower) {
				names = append(names, name)
			}
		}
	}
	return names[:min(n, len(names))]
}

// initials returns the first letters of the words in a name, in lower case: hd for high-density.
func initials(name string) string {
	var first strings.Builder
	for _, word := range strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) }) {
		r, _ := utf8.DecodeRuneInString(word)
		first.WriteRune(unicode.ToLower(r))
	}
	return first.String()
}

// Question returns the end of an error message that suggests the most likely candidate, "; did you
// mean NAME?", or "" without a likely candidate.
func Question(word string, candidates []string) string {
	names := Similar(word, candidates, 1)
	if len(names) == 0 {
		return ""
	}
	return "; did you mean " + names[0] + "?"
}

// typingErrors returns the number of insertions, deletions, replacements and swaps of neighboring
// letters that turn a into b (optimal string alignment).
func typingErrors(a, b string) int {
	from, to := []rune(a), []rune(b)
	before, row, next := make([]int, len(to)+1), make([]int, len(to)+1), make([]int, len(to)+1)
	for j := range row {
		row[j] = j
	}
	for i := range from {
		next[0] = i + 1
		for j := range to {
			cost := 1
			if from[i] == to[j] {
				cost = 0
			}
			next[j+1] = min(row[j]+cost, row[j+1]+1, next[j]+1)
			if i > 0 && j > 0 && from[i] == to[j-1] && from[i-1] == to[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, row, next = row, next, before
	}
	return row[len(to)]
}
