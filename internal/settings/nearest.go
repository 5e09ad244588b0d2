package settings

import "strings"

// Nearest returns the candidate a person most likely meant by word, or "" when
// none is near: the one with the fewest typing errors, else one that word is a
// part of.
func Nearest(word string, candidates []string) string {
	word = strings.ToLower(word)
	// A third of the word wrong is still a typing error, more is another word.
	best, fewest := "", max(1, len(word)/3)+1
	for _, candidate := range candidates {
		if errors := typingErrors(word, strings.ToLower(candidate)); errors < fewest {
			best, fewest = candidate, errors
		}
	}
	if best != "" || len(word) < 3 {
		return best
	}
	for _, candidate := range candidates {
		if strings.Contains(strings.ToLower(candidate), word) {
			return candidate
		}
	}
	return ""
}

// didYouMean is the end of an error message that offers the nearest candidate.
func didYouMean(word string, candidates []string) string {
	near := Nearest(word, candidates)
	if near == "" {
		return ""
	}
	return "; did you mean " + near + "?"
}

// typingErrors is the number of letters to insert, delete, replace or swap with
// their neighbour to get from a to b (optimal string alignment).
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
