package patch

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"agent/internal/tui/style"
)

// markWords marks the changes within lines. If a run of removed lines is followed by as many
// added lines, it compares each pair.
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

func run(lines []line, kind byte) int {
	n := 0
	for n < len(lines) && lines[n].kind == kind {
		n++
	}
	return n
}

// pair marks the words in which two lines differ. If the lines have little in common, it marks nothing.
func pair(old, changed *line) {
	a, b := old.text, changed.text
	start := commonStart(a, b)
	end := commonEnd(a[start:], b[start:])
	was, is, same := differing(a[start:len(a)-end], b[start:len(b)-end])
	same += start + end
	if same*3 < max(len(a), len(b)) || len(a) == len(b) && len(a) == same {
		return
	}
	old.words, changed.words = shift(was, start), shift(is, start)
}

// shift moves ranges by some bytes.
func shift(ranges []style.Range, by int) []style.Range {
	for i := range ranges {
		ranges[i].From += by
		ranges[i].To += by
	}
	return ranges
}

// mostWords limits the words of a line that are compared with another line. For longer lines, the whole
// difference is marked.
const mostWords = 200

// differing returns the ranges of two texts outside their longest common sequence of words and signs. same
// is the length of that sequence in bytes. Ranges with only blanks and signs between them are merged,
// because such signs match by chance.
func differing(a, b string) (was, is []style.Range, same int) {
	x, y := splitWords(a), splitWords(b)
	if len(x) > mostWords || len(y) > mostWords {
		x, y = []string{a}, []string{b}
	}
	// longest[i][j] is the weight of the longest common sequence of x[i:] and y[j:].
	longest := make([][]int, len(x)+1)
	for i := range longest {
		longest[i] = make([]int, len(y)+1)
	}
	for i := len(x) - 1; i >= 0; i-- {
		for j := len(y) - 1; j >= 0; j-- {
			longest[i][j] = max(longest[i+1][j], longest[i][j+1])
			if x[i] == y[j] {
				longest[i][j] = max(longest[i][j], longest[i+1][j+1]+weight(x[i]))
			}
		}
	}
	at, to := 0, 0
	for i, j := 0, 0; i < len(x) || j < len(y); {
		switch {
		case i < len(x) && j < len(y) && x[i] == y[j] && longest[i][j] == longest[i+1][j+1]+weight(x[i]):
			at, to, same = at+len(x[i]), to+len(y[j]), same+len(x[i])
			i, j = i+1, j+1
		case j == len(y) || i < len(x) && longest[i+1][j] >= longest[i][j+1]:
			was = extend(was, at, len(x[i]))
			at, i = at+len(x[i]), i+1
		default:
			is = extend(is, to, len(y[j]))
			to, j = to+len(y[j]), j+1
		}
	}
	return join(was, a), join(is, b), same
}

// extend adds a range of bytes, or lengthens the last range if the new one follows it.
func extend(ranges []style.Range, from, length int) []style.Range {
	if n := len(ranges); n > 0 && ranges[n-1].To == from {
		ranges[n-1].To += length
		return ranges
	}
	return append(ranges, style.Range{From: from, To: from + length})
}

// join merges neighboring ranges that have no word between them.
func join(ranges []style.Range, text string) []style.Range {
	var joined []style.Range
	for _, r := range ranges {
		if n := len(joined); n > 0 && !strings.ContainsFunc(text[joined[n-1].To:r.From], partOfWord) {
			joined[n-1].To = r.To
			continue
		}
		joined = append(joined, r)
	}
	return joined
}

// weight returns the value of a common part of two texts. Words count more than signs.
func weight(part string) int {
	if wordAfter(part, 0) {
		return 4 * len(part)
	}
	return len(part)
}

// splitWords splits a text into words and the parts between them.
func splitWords(text string) []string {
	var parts []string
	begin := 0
	for at := 1; at <= len(text); at++ {
		if at == len(text) || utf8.RuneStart(text[at]) && wordBefore(text, at) != wordAfter(text, at) {
			parts = append(parts, text[begin:at])
			begin = at
		}
	}
	return parts
}

func wordBefore(text string, at int) bool {
	r, _ := utf8.DecodeLastRuneInString(text[:at])
	return partOfWord(r)
}

func wordAfter(text string, at int) bool {
	r, _ := utf8.DecodeRuneInString(text[at:])
	return partOfWord(r)
}

// commonStart returns the length of the whole words that both texts begin with.
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

// commonEnd returns the length of the whole words that both texts end with.
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
	return wordBefore(s, at) && wordAfter(s, at)
}

func partOfWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || strings.ContainsRune("_\u200d", r)
}
