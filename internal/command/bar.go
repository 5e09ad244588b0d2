package command

import "strings"

// Bar is the context window by kind.
type Bar struct {
	Segments []Segment
	// Total is the size of the window in tokens, Mark the compression threshold.
	Total, Mark int
}

// Segment is one part of a Bar.
type Segment struct {
	Label  string
	Tokens int
	// Free marks the unused rest.
	Free bool
	// Letter represents the segment where there are no colours.
	Letter string
}

// Cells shares width cells out among the segments, one for each that is not
// empty and the rest in proportion to tokens. They add up to width unless every
// segment is empty.
func (b Bar) Cells(width int) []int {
	cells := make([]int, len(b.Segments))
	filled, rest := 0, width
	for i, s := range b.Segments {
		if s.Tokens > 0 && rest > 0 {
			cells[i]++
			rest--
		}
	}
	// Rounding the running sum instead of the parts keeps the sum exact.
	sum, total := 0, b.size()
	for i, s := range b.Segments {
		if s.Tokens > 0 {
			sum += s.Tokens
			end := (sum*rest + total/2) / total
			cells[i] += end - filled
			filled = end
		}
	}
	return cells
}

// MarkCell returns the cell in which the threshold lies, from 0, or -1 when it is
// outside the bar.
func (b Bar) MarkCell(width int) int {
	cell := b.Mark * width / max(1, b.size())
	if b.Mark <= 0 || cell >= width {
		return -1
	}
	return cell
}

// Text draws the bar with letters, for a terminal without colours and for files.
func (b Bar) Text(width int) string {
	var drawn strings.Builder
	for i, n := range b.Cells(width) {
		drawn.WriteString(strings.Repeat(b.Segments[i].Letter, n))
	}
	text := drawn.String()
	if mark := b.MarkCell(width); mark >= 0 && mark < len(text) {
		text = text[:mark] + "|" + text[mark+1:]
	}
	return "[" + text + "]"
}

// size is the sum of all segments; it exceeds Total when the window overflows.
func (b Bar) size() int {
	sum := 0
	for _, s := range b.Segments {
		sum += max(0, s.Tokens)
	}
	return sum
}
