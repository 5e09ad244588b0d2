package tools

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// bytesPerToken is what a token of text and code comes to, near enough to bound
// results without counting.
const bytesPerToken = 4

// maxLineBytes is where a shown line is cut: minified files have lines of
// megabytes, of which nobody reads more.
const maxLineBytes = 2000

// OutputBytes is OutputTokens in bytes. A limit below 1 is none.
func (l Limits) OutputBytes() int { return atLeastOne(l.OutputTokens) * bytesPerToken }

// readLines is ReadLines. A limit below 1 is none.
func (l Limits) readLines() int { return atLeastOne(l.ReadLines) }

func atLeastOne(limit int) int {
	if limit < 1 {
		return 1 << 30
	}
	return limit
}

// cutLine shortens a line to about limit bytes and says how much is gone.
func cutLine(line string, limit int) string {
	if len(line) <= limit {
		return line
	}
	kept := wholeRunes(line[:limit])
	return fmt.Sprintf("%s… [%d more bytes of this line]", kept, len(line)-len(kept))
}

// cutText keeps the whole lines at the start of text that fit in limit bytes and
// says how many lines are gone.
func cutText(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	end := strings.LastIndexByte(text[:limit], '\n') + 1
	gone := strings.Count(strings.TrimSuffix(text[end:], "\n"), "\n") + 1
	return fmt.Sprintf("%s[%d more lines]", text[:end], gone)
}

// wholeRunes drops a character cut in two at the end.
func wholeRunes(text string) string {
	for i := 0; i < utf8.UTFMax && len(text) > 0; i++ {
		if r, size := utf8.DecodeLastRuneInString(text); r != utf8.RuneError || size != 1 {
			break
		}
		text = text[:len(text)-1]
	}
	return text
}
