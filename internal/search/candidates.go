package search

import (
	"bytes"
	"math"
	"slices"
)

// candidates finds the positions in one text where a match is possible.
type candidates struct {
	literals []literal
	// text is the searched text. lower is the text in lower case, nil if the search is
	// case-sensitive.
	text, lower []byte
	// at contains the next offset of each literal, if it is known.
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

// nowhere is an offset after the end of every text.
const nowhere = math.MaxInt

// next returns the first offset from begin on at which one of the literals occurs, -1 if there is
// none. If there are no literals, it returns begin.
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
