package search

import (
	"bytes"
	"math"
)

// candidates finds the places of one text where a match can be.
type candidates struct {
	literals []literal
	// at is where each literal is next, as far as that is known.
	at []int
}

func newCandidates(literals []literal) candidates {
	c := candidates{literals: literals, at: make([]int, len(literals))}
	for i := range c.at {
		c.at[i] = -1
	}
	return c
}

// nowhere is past the end of every text.
const nowhere = math.MaxInt

// next returns the first place from begin on that holds one of the literals, -1
// when there is none, begin when there are no literals.
func (c candidates) next(text []byte, begin int) int {
	if len(c.literals) == 0 {
		return begin
	}
	first := nowhere
	for i, l := range c.literals {
		if c.at[i] < begin {
			c.at[i] = l.index(text, begin)
		}
		first = min(first, c.at[i])
	}
	if first == nowhere {
		return -1
	}
	return first
}

// index returns the first place of the literal from begin on, or nowhere.
func (l literal) index(text []byte, begin int) int {
	at := 0
	if l.fold {
		at = indexFold(text[begin:], l.text)
	} else {
		at = bytes.Index(text[begin:], []byte(l.text))
	}
	if at < 0 {
		return nowhere
	}
	return begin + at
}

// indexFold finds a literal in lower case in text of any case, ASCII only.
func indexFold(text []byte, literal string) int {
	lower := literal[0]
	upper := bytes.ToUpper([]byte{lower})[0]
	nextLower, nextUpper := -1, -1
	for begin := 0; begin+len(literal) <= len(text); begin++ {
		nextLower = nextIndex(text, lower, begin, nextLower)
		nextUpper = nextIndex(text, upper, begin, nextUpper)
		begin = min(nextLower, nextUpper)
		if begin+len(literal) > len(text) {
			break
		}
		if bytes.EqualFold(text[begin:begin+len(literal)], []byte(literal)) {
			return begin
		}
	}
	return -1
}

// nextIndex returns the first place of c in text from begin on, len(text) when
// there is none; known is the answer for an earlier begin.
func nextIndex(text []byte, c byte, begin, known int) int {
	if known >= begin {
		return known
	}
	if i := bytes.IndexByte(text[begin:], c); i >= 0 {
		return begin + i
	}
	return len(text)
}
