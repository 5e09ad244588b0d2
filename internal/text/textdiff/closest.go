package textdiff

import (
	"cmp"
	"slices"
	"strings"
)

// Bounds of the search for close lines.
const (
	// nearPairs limits how many pairs of lines are compared.
	nearPairs = 200_000
	// nearScore is the least likeness of lines that are worth showing; equal lines have 1.
	nearScore = 0.5
	// nearWindows is the number of places that are shown.
	nearWindows = 3
	// gramBytes limits the compared part of a long line.
	gramBytes = 200
)

// window is a part of the text with as many lines as the wanted text.
type window struct {
	start int
	score float64
}

// Closest returns where in text the places most like wanted begin, as indices of
// lines, best first: at most three, which do not overlap. A line weighs as much as
// it is long, and whitespace does not count.
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

// best returns the starts of the windows worth showing, which do not overlap.
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

// collapse turns every run of whitespace into one space and cuts long lines.
func collapse(line string) string {
	return strings.Join(strings.Fields(line[:min(len(line), gramBytes)]), " ")
}

// grams compares one line with many, by the pairs of neighbouring bytes they share.
type grams struct {
	text string
	// count says how often each pair occurs; a line has at most gramBytes of them.
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

// like returns Dice's coefficient of the two lines: 1 when they are equal, 0 when
// they share no pair or are too different in length to be worth showing.
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
