package style

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"agent/internal/base/humanize"
)

// Range is a part of a text, in bytes.
type Range struct{ From, To int }

// RevealedText is text in which every character is visible.
type RevealedText struct {
	Text string
	// Marks are the parts of Text that represent an invisible character.
	Marks []Range
	// Hidden counts the characters that would have been invisible, or would have changed the display of
	// other characters.
	Hidden int
}

// longestGap is the longest run of spaces that is shown unchanged. A longer run could move the text after
// it out of view.
const longestGap = 48

// Reveal makes text safe for approval. A user approves the text as shown, so the terminal must not
// interpret, remove or hide any character. Reveal shows as a symbol or a number: control and escape
// characters, characters that reorder, join or hide text, unusual spaces, and invalid UTF-8. Line ends
// stay, tabs are expanded, and a long run of spaces becomes a number.
func Reveal(text string) RevealedText {
	if isPrintable(text) {
		return RevealedText{Text: text}
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
		// Emoji made of several characters are taken apart too, because nothing distinguishes an ordinary
		// emoji from an emoji that hides text.
		case c == utf8.RuneError && size == 1, humanize.IsHidden(c), !unicode.IsPrint(c):
			r.hidden++
			r.mark(symbol(c, rest[:size]))
		default:
			r.add(rest[:size], Width(rest[:size]))
		}
		rest = rest[size:]
	}
	return RevealedText{Text: r.b.String(), Marks: r.marks, Hidden: r.hidden}
}

// revealer builds the result of Reveal.
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

// symbol returns the visible text that represents a hidden character.
func symbol(r rune, text string) string {
	if seen := humanize.EscapeInvisible(text); seen != text {
		return seen
	}
	return fmt.Sprintf("<U+%04X>", r)
}

// isPrintable reports whether Reveal would not change a text.
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
