package textdiff

import (
	"cmp"
	"slices"
	"strings"
)

// The limits of the search for similar lines.
const (
	// nearPairs is the greatest number of pairs of lines that are compared.
	nearPairs = 200_000
	// nearScore is the least similarity of lines that are shown. Equal lines have similarity 1.
	nearScore = 0.5
	// nearWindows is the greatest number of positions that are shown.
	nearWindows = 3
	// gramBytes is the greatest length of the compared part of a line.
	gramBytes = 200
)

// window is a part of the text with as many lines as the wanted text.
type window struct {
	start int
	score float64
}

// Closest returns the positions in text that are most similar to wanted, as line indices, best
// first. It returns at most three, which do not overlap. Lines are weighted by their length, and
// whitespace is ignored.
func Closest(text, wanted []string) []int {
	if len(text) == 0 || len(wanted) == 0 {
		return nil
	}
	collapsed := make([]string, len(text))
	for i, line := range text {
		collapsed[i] = collapse(line)
	}
	windows := make([]window, len(text))
	for i := range windows {
		windows[i].start = i
	}
	total := 0.0
	for _, j := range longest(wanted, max(1, nearPairs/len(text))) {
		g := gramsOf(collapse(wanted[j]))
		weight := float64(1 + len(g.text))
		total += weight
		for i := 0; i+j < len(text); i++ {
			windows[i].score += weight * g.like(collapsed[i+j])
		}
	}
	for i := range windows {
		windows[i].score /= total
	}
	return best(windows, len(wanted))
}

// best returns the starts of the windows that are similar enough to show. They do not overlap.
func best(windows []window, length int) []int {
	windows = slices.DeleteFunc(windows, func(w window) bool { return w.score < nearScore })
	slices.SortStableFunc(windows, func(a, b window) int { return cmp.Compare(b.score, a.score) })
	var picked []int
	for _, w := range windows {
		overlaps := slices.ContainsFunc(picked, func(start int) bool {
			return w.start < start+length && start < w.start+length
		})
		if !overlaps {
			picked = append(picked, w.start)
		}
		if len(picked) == nearWindows {
			break
		}
	}
	return picked
}

// longest returns the indices of the n longest lines: they distinguish candidates best.
func longest(wanted []string, n int) []int {
	indices := make([]int, len(wanted))
	for i := range indices {
		indices[i] = i
	}
	slices.SortStableFunc(indices, func(a, b int) int { return len(wanted[b]) - len(wanted[a]) })
	return indices[:min(n, len(indices))]
}

// collapse replaces every run of whitespace by one space and cuts long lines.
func collapse(line string) string {
	return strings.Join(strings.Fields(line[:min(len(line), gramBytes)]), " ")
}

// grams compares one line with many others, by the pairs of neighboring bytes that they share.
type grams struct {
	text string
	// count maps each pair to the number of times that it occurs. A line has at most gramBytes
	// pairs.
	count [1 << 16]uint8
}

func pair(text string, i int) int { return int(text[i-1])<<8 | int(text[i]) }

func gramsOf(text string) *grams {
	g := &grams{text: text}
	for i := 1; i < len(text); i++ {
		g.count[pair(text, i)]++
	}
	return g
}

// like returns Dice's coefficient of the two lines: 1 if they are equal. It returns 0 if they share
// no pair, or if their lengths differ too much for them to be similar.
func (g *grams) like(other string) float64 {
	if g.text == other {
		return 1
	}
	size := len(g.text) + len(other) - 2
	if size <= 0 || 2*float64(min(len(g.text), len(other))) < nearScore*float64(size) {
		return 0
	}
	var shared [gramBytes]int
	n := 0
	for i := 1; i < len(other); i++ {
		if p := pair(other, i); g.count[p] > 0 {
			g.count[p]--
			shared[n] = p
			n++
		}
	}
	for _, p := range shared[:n] {
		g.count[p]++
	}
	return 2 * float64(n) / float64(size)
}
