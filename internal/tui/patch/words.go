package patch

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff/lcs"

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
	if len(old.text)+len(changed.text) > maxComparedBytes {
		return
	}
	x, was := splitWords(old.text)
	y, is := splitWords(changed.text)
	var removed, added []style.Range
	same := len(old.text)
	for _, d := range lcs.DiffLines(x, y) {
		removed = extend(removed, old.text, style.Range{From: was[d.Start], To: was[d.End]})
		added = extend(added, changed.text, style.Range{From: is[d.ReplStart], To: is[d.ReplEnd]})
		same -= was[d.End] - was[d.Start]
	}
	if same*3 >= max(len(old.text), len(changed.text)) {
		old.words, changed.words = removed, added
	}
}

// maxComparedBytes limits the lines that are compared, in bytes: 20 KB take 10 ms.
const maxComparedBytes = 20 << 10

// extend adds a range of text to ranges. It merges ranges with only blanks and signs between them, because
// such signs match by chance.
func extend(ranges []style.Range, text string, r style.Range) []style.Range {
	n := len(ranges)
	switch {
	case r.From == r.To:
	case n > 0 && !strings.ContainsFunc(text[ranges[n-1].To:r.From], partOfWord):
		ranges[n-1].To = r.To
	default:
		ranges = append(ranges, r)
	}
	return ranges
}

// splitWords splits a text into words and single signs. It returns the offset of each part, and of the end.
func splitWords(text string) (parts []string, at []int) {
	begin := 0
	at = []int{0}
	for end := 1; end <= len(text); end++ {
		if end == len(text) || utf8.RuneStart(text[end]) && !(wordBefore(text, end) && wordAfter(text, end)) {
			parts, at = append(parts, text[begin:end]), append(at, end)
			begin = end
		}
	}
	return parts, at
}

func wordBefore(text string, at int) bool {
	r, _ := utf8.DecodeLastRuneInString(text[:at])
	return partOfWord(r)
}

func wordAfter(text string, at int) bool {
	r, _ := utf8.DecodeRuneInString(text[at:])
	return partOfWord(r)
}

func partOfWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || strings.ContainsRune("_\u200d", r)
}
