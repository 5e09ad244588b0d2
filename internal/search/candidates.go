package search

import (
	"bytes"
	"math"
	"slices"
)

// candidates finds the places in one text where a match is possible.
type candidates struct {
	literals []literal
	// text is the searched text. lower is the same text in lower case, nil if case matters.
	text, lower []byte
	// at holds the next offset of each literal, as far as it is known.
	at []int
}

func newCandidates(literals []literal, text []byte) candidates {
	c := candidates{literals: literals, text: text, at: slices.Repeat([]int{-1}, len(literals))}
	if slices.ContainsFunc(literals, func(l literal) bool { return l.fold }) {
		c.lower = make([]byte, len(text))
		for i, b := range text {
			if 'A' <= b && b <= 'Z' {
				b += 'a' - 'A'
			}
			c.lower[i] = b
		}
	}
	return c
}

// nowhere is an offset past the end of every text.
const nowhere = math.MaxInt

// next returns the first offset from begin on that holds one of the literals, -1 if there is
// none, and begin if there are no literals.
func (c candidates) next(begin int) int {
	if len(c.literals) == 0 {
		return begin
	}
	first := nowhere
	for i, l := range c.literals {
		if c.at[i] < begin {
			text := c.text
			if l.fold {
				text = c.lower
			}
			if c.at[i] = bytes.Index(text[begin:], []byte(l.text)); c.at[i] < 0 {
				c.at[i] = nowhere
			} else {
				c.at[i] += begin
			}
		}
		first = min(first, c.at[i])
	}
	if first == nowhere {
		return -1
	}
	return first
}
