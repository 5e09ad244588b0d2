package patch

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"agent/internal/tui/style"
)

// markWords marks what changed within lines: where some lines became as many
// others, each is compared with its successor.
func markWords(lines []line) {
	for i := 0; i < len(lines); {
		removed := run(lines[i:], '-')
		added := run(lines[i+removed:], '+')
		if removed > 0 && removed == added {
			for j := range removed {
				pair(&lines[i+j], &lines[i+removed+j])
			}
		}
		i += max(1, removed+added)
	}
}

// run counts the lines of a kind that lines begin with.
func run(lines []line, kind byte) int {
	n := 0
	for n < len(lines) && lines[n].kind == kind {
		n++
	}
	return n
}

// pair marks what lies between the words that two lines have in common at their
// start and end. Lines that share little are not marked: everything changed.
func pair(old, changed *line) {
	a, b := old.text, changed.text
	start := commonStart(a, b)
	end := commonEnd(a[start:], b[start:])
	if same := start + end; same*3 < max(len(a), len(b)) || len(a) == same && len(b) == same {
		return
	}
	if len(a) > start+end {
		old.words = []style.Range{{From: start, To: len(a) - end}}
	}
	if len(b) > start+end {
		changed.words = []style.Range{{From: start, To: len(b) - end}}
	}
}

// commonStart is the length of the whole words that both texts begin with.
func commonStart(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	for n > 0 && (splitsWord(a, n) || splitsWord(b, n)) {
		n--
	}
	return n
}

// commonEnd is the length of the whole words that both texts end with.
func commonEnd(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	for n > 0 && (splitsWord(a, len(a)-n) || splitsWord(b, len(b)-n)) {
		n--
	}
	return n
}

// splitsWord reports whether position at is inside a word or a character.
func splitsWord(s string, at int) bool {
	if at <= 0 || at >= len(s) {
		return false
	}
	if !utf8.RuneStart(s[at]) {
		return true
	}
	before, _ := utf8.DecodeLastRuneInString(s[:at])
	after, _ := utf8.DecodeRuneInString(s[at:])
	return partOfWord(before) && partOfWord(after)
}

func partOfWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || strings.ContainsRune("_\u200d", r)
}
