// Package textdiff compares texts line by line. [Diff] is the difference between two texts;
// [Closest] finds the lines of a text that resemble other lines most. Time and memory are limited
// for texts of any size.
package textdiff

import (
	"fmt"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff/lcs"

	"agent/internal/text/lines"
)

// contextLines is the number of unchanged lines around a change in diffs and in the answers
// to edits.
const contextLines = 3

// hunk is a run of changes with the lines around it.
type hunk struct {
	// from and to are the numbers, from 1, of the hunk's first line in the old and the new text.
	from, to int
	lines    []diffLine
}

// diffLine is a line of a hunk. op is ' ' for unchanged, '-' for removed, '+' for added.
type diffLine struct {
	op   byte
	text string
}

// Diff is the difference of two texts, in the order of their lines.
type Diff []hunk

// New returns the difference from before to after, with contextLines around each change.
func New(before, after string) Diff {
	old, fresh := lines.Split(before), lines.Split(after)
	var d Diff
	at, shift := 0, 0
	for _, e := range edits(old, fresh, 0, 0) {
		if len(d) == 0 || e.Start-at > 2*contextLines {
			d.keep(old, at, at+contextLines)
			at = max(at, e.Start-contextLines)
			d = append(d, hunk{from: at + 1, to: at + 1 + shift})
		}
		d.keep(old, at, e.Start)
		d.add('-', old[e.Start:e.End])
		d.add('+', fresh[e.ReplStart:e.ReplEnd])
		at, shift = e.End, e.ReplEnd-e.End
	}
	d.keep(old, at, at+contextLines)
	return d
}

// ChangedCount returns the number of lines that differ. If lines replace others, the larger of the two
// numbers counts.
func (d Diff) ChangedCount() int {
	n, removed, added := 0, 0, 0
	for _, h := range d {
		for _, line := range h.lines {
			switch line.op {
			case '-':
				removed++
			case '+':
				added++
			default:
				n += max(removed, added)
				removed, added = 0, 0
			}
		}
	}
	return n + max(removed, added)
}

// keep adds unchanged lines to the last hunk, if any.
func (d Diff) keep(old []string, start, end int) {
	if len(d) > 0 {
		d.add(' ', old[min(start, len(old)):min(end, len(old))])
	}
}

func (d Diff) add(op byte, texts []string) {
	last := &d[len(d)-1]
	for _, line := range texts {
		last.lines = append(last.lines, diffLine{op, line})
	}
}

// Unified writes the diff in the format of diff -u.
func (d Diff) Unified(from, to string) string {
	if len(d) == 0 {
		return ""
	}
	var out strings.Builder
	fmt.Fprintf(&out, "--- %s\n+++ %s\n", from, to)
	for _, h := range d {
		fmt.Fprintf(&out, "@@ -%s +%s @@\n", h.extent(h.from, '+'), h.extent(h.to, '-'))
		for _, line := range h.lines {
			out.WriteByte(line.op)
			out.WriteString(line.text)
			if !strings.HasSuffix(line.text, "\n") {
				out.WriteString("\n\\ No newline at end of file\n")
			}
		}
	}
	return out.String()
}

// extent formats the start and the number of the lines of one side. other is the mark of lines that
// only the other side has. An empty side starts at the preceding line.
func (h hunk) extent(start int, other byte) string {
	count := h.count(other)
	if count == 0 {
		start--
	}
	return fmt.Sprintf("%d,%d", start, count)
}

// count returns the number of lines of one side. other is the mark of lines that only the other
// side has.
func (h hunk) count(other byte) int {
	count := 0
	for _, line := range h.lines {
		if line.op != other {
			count++
		}
	}
	return count
}

// edits finds the changes from before to after. atBefore and atAfter are the numbers of their first
// lines. As in a patience diff, lines that occur exactly once in both texts are kept, and the parts
// between them are compared separately. Parts without such lines are compared by their longest
// common subsequence. That search is limited, so that it may miss common lines of long parts.
func edits(before, after []string, atBefore, atAfter int) []lcs.Diff {
	for len(before) > 0 && len(after) > 0 && before[0] == after[0] {
		before, after = before[1:], after[1:]
		atBefore, atAfter = atBefore+1, atAfter+1
	}
	for len(before) > 0 && len(after) > 0 && before[len(before)-1] == after[len(after)-1] {
		before, after = before[:len(before)-1], after[:len(after)-1]
	}
	var all []lcs.Diff
	anchors := commonLines(before, after)
	if len(anchors) == 0 {
		for _, d := range lcs.DiffLines(before, after) {
			all = append(all, lcs.Diff{Start: atBefore + d.Start, End: atBefore + d.End, ReplStart: atAfter + d.ReplStart, ReplEnd: atAfter + d.ReplEnd})
		}
		return all
	}
	a, b := 0, 0
	for _, anchor := range append(anchors, [2]int{len(before), len(after)}) {
		all = append(all, edits(before[a:anchor[0]], after[b:anchor[1]], atBefore+a, atAfter+b)...)
		a, b = anchor[0]+1, anchor[1]+1
	}
	return all
}

// commonLines returns the anchors of a patience diff as pairs of line indices. They are the longest
// increasing subsequence of the unique common lines.
func commonLines(before, after []string) [][2]int {
	places := onceIn(after)
	var pairs [][2]int
	for line, i := range onceIn(before) {
		if j, ok := places[line]; ok {
			pairs = append(pairs, [2]int{i, j})
		}
	}
	slices.SortFunc(pairs, func(a, b [2]int) int { return a[0] - b[0] })
	return longestRise(pairs)
}

// onceIn returns the indices of the lines that occur exactly once.
func onceIn(texts []string) map[string]int {
	places := make(map[string]int, len(texts))
	for i, line := range texts {
		if _, again := places[line]; again {
			i = -1
		}
		places[line] = i
	}
	for line, i := range places {
		if i < 0 {
			delete(places, line)
		}
	}
	return places
}

// longestRise returns the longest subsequence of pairs whose second numbers increase.
func longestRise(pairs [][2]int) [][2]int {
	// tops[n] is the pair with the lowest second number that ends an increasing subsequence of
	// length n+1.
	var tops []int
	previous := make([]int, len(pairs))
	for i, pair := range pairs {
		n, _ := slices.BinarySearchFunc(tops, pair[1], func(top, second int) int { return pairs[top][1] - second })
		previous[i] = -1
		if n > 0 {
			previous[i] = tops[n-1]
		}
		if n == len(tops) {
			tops = append(tops, i)
		} else {
			tops[n] = i
		}
	}
	if len(tops) == 0 {
		return nil
	}
	rise := make([][2]int, len(tops))
	for i, n := tops[len(tops)-1], len(tops)-1; n >= 0; i, n = previous[i], n-1 {
		rise[n] = pairs[i]
	}
	return rise
}
