package cacheaware

import (
	"strings"

	"agent/internal/history"
)

// A reply that contains rare words of a unit has used the unit. A word is rare if it looks like an
// identifier of a program, and if no text of a human or the model and no head of a call contains it.
// The model can then know the word only from that unit.

const (
	minWord = 6
	maxWord = 60
	// rareWords is the number of rare words of one unit that a reply must contain to count as a
	// use of the unit.
	rareWords = 2
)

// common marks a word that occurs in text that is never pruned.
const common = -1

// vocabulary maps every name-like word to the newest unit that contains it, or to common.
type vocabulary map[string]int

func (v vocabulary) add(text string, unit int, fixed bool) {
	for word := range NameWords(text) {
		at, known := v[word]
		switch {
		case known && at == common:
			continue
		case !known:
			word = strings.Clone(word) // a substring would keep the whole text in memory
		}
		if fixed {
			unit = common
		}
		v[word] = unit
	}
}

// countUses counts, for each unit, how many of its rare words are in text. It skips the words in seen,
// and adds the others to seen.
func (v vocabulary) countUses(text string, seen map[string]bool, count map[int]int) {
	for word := range NameWords(text) {
		if seen[word] {
			continue
		}
		seen[word] = true
		if at, known := v[word]; known && at != common {
			count[at]++
		}
	}
}

// NameWords yields the words of text that look like identifiers of a program, not prose: they contain a
// digit, an underscore, or a capital after the first letter.
func NameWords(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for i := 0; i < len(text); {
			if !isLetter(text[i]) {
				i++
				continue
			}
			start, capital, allCapitals, mark := i, false, true, false
			for ; i < len(text) && isWord(text[i]); i++ {
				switch c := text[i]; {
				case c >= 'A' && c <= 'Z':
					capital = capital || i > start
				case isDigit(c) || c == '_':
					mark = true
				default:
					allCapitals = false
				}
			}
			n := i - start
			if n < minWord || n > maxWord || !mark && (!capital || allCapitals) {
				continue
			}
			if !yield(text[start:i]) {
				return
			}
		}
	}
}

func isLetter(c byte) bool { return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
func isWord(c byte) bool   { return isLetter(c) || isDigit(c) }

// useWords records the units that a reply uses: units that it quotes in an edit, and units of which it
// contains enough rare words.
func (cv *conversation) useWords(reply *history.Content) {
	seen, count := map[string]bool{}, map[int]int{}
	for _, block := range reply.Blocks {
		switch b := block.(type) {
		case *history.Text:
			cv.words.countUses(b.Text, seen, count)
		case *history.ToolCall:
			cv.words.countUses(string(b.Parameters), seen, count)
			for _, a := range longArguments(b, cv.Tools(b.Name)) {
				if a.part == oldText {
					cv.useQuote(a.text)
				}
			}
		}
	}
	for at, n := range count {
		if n >= rareWords {
			cv.use(at)
		}
	}
}

// useQuote records a use of the newest unit that shows the text quoted by an edit.
func (cv *conversation) useQuote(text string) {
	if text == "" {
		return
	}
	for at := len(cv.units) - 1; at >= 0; at-- {
		u := &cv.units[at]
		if u.text != "" && strings.Contains(u.text, text) {
			cv.use(at)
			return
		}
	}
}

// use records that the reply to the latest request used a unit.
func (cv *conversation) use(at int) { cv.units[at].used = cv.request + 1 }
