package search

import (
	"bytes"
	"math"
	"slices"
)

// candidates finds the places of one text where a match can be.
type candidates struct {
	literals []literal
	// text is what is searched, lower the same in lower case, nil where case matters.
	text, lower []byte
	// at is where each literal is next, as far as that is known.
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

// nowhere is past the end of every text.
const nowhere = math.MaxInt

// next returns the first place from begin on that holds one of the literals, -1
// when there is none, begin when there are no literals.
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
