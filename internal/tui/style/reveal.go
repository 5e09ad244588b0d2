package style

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"agent/internal/words"
)

// Range is a part of a text, in bytes.
type Range struct{ From, To int }

// Revealed is text that hides nothing: every character in it is seen.
type Revealed struct {
	Text string
	// Marks are the parts of Text that represent something that would not be seen.
	Marks []Range
	// Hidden counts the characters that would not have been seen, or would have
	// changed what is seen.
	Hidden int
}

// longestGap is the longest run of spaces that is shown as it is. A longer one
// could push what follows out of sight.
const longestGap = 48

// Reveal makes text fit for consent: a person approves what is shown, so nothing is
// obeyed, removed or left invisible. Control and escape characters, characters that
// reorder, join or hide text, spaces that are not the ordinary one, and bytes that
// are no UTF-8 are shown by a symbol or their number. Line ends stay, tabs are
// expanded, and long runs of spaces become a number.
func Reveal(text string) Revealed {
	if isPrintable(text) {
		return Revealed{Text: text}
	}
	var r revealer
	for rest := text; rest != ""; {
		c, size := utf8.DecodeRuneInString(rest)
		switch {
		case c == ' ':
			size = len(rest) - len(strings.TrimLeft(rest, " "))
			if size > longestGap {
				r.mark("<" + strconv.Itoa(size) + " spaces>")
			} else {
				r.add(rest[:size], size)
			}
		case c == '\n':
			r.b.WriteByte('\n')
			r.column = 0
		case c == '\t':
			n := TabWidth - r.column%TabWidth
			r.add(strings.Repeat(" ", n), n)
		// Emoji made of several characters are taken apart too: nothing distinguishes an
		// ordinary one from one that hides.
		case c == utf8.RuneError && size == 1, words.Hidden(c), !unicode.IsPrint(c):
			r.hidden++
			r.mark(symbol(c, rest[:size]))
		default:
			r.add(rest[:size], Width(rest[:size]))
		}
		rest = rest[size:]
	}
	return Revealed{Text: r.b.String(), Marks: r.marks, Hidden: r.hidden}
}

// revealer collects what Reveal shows.
type revealer struct {
	b      strings.Builder
	marks  []Range
	hidden int
	column int
}

func (r *revealer) add(s string, width int) {
	r.b.WriteString(s)
	r.column += width
}

func (r *revealer) mark(s string) {
	r.marks = append(r.marks, Range{r.b.Len(), r.b.Len() + len(s)})
	r.add(s, Width(s))
}

// symbol is what represents a hidden character.
func symbol(r rune, text string) string {
	if seen := words.Visible(text); seen != text {
		return seen
	}
	return fmt.Sprintf("<U+%04X>", r)
}

// isPrintable reports text that Reveal leaves alone.
func isPrintable(s string) bool {
	gap := 0
	for i := range len(s) {
		switch c := s[i]; {
		case c >= 0x7f || c < ' ' && c != '\n':
			return false
		case c == ' ':
			if gap++; gap > longestGap {
				return false
			}
		default:
			gap = 0
		}
	}
	return true
}
