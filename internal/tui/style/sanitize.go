package style

import (
	"strings"
	"unicode/utf8"

	"agent/internal/base/humanize"
	"agent/internal/tui/link"
)

// Seal makes a row safe to write to a terminal. Sequences that set a style and links made by this program
// stay. Seal makes all other characters visible that a terminal would interpret or not show. Every row
// passes through Seal just before output, so that no text is interpreted, whatever its source. Layout
// cleans text earlier, because it needs the width.
func Seal(row string) string {
	return seal(row, func(text string) int { return max(styleLength(text), link.SequenceLength(text)) })
}

// SealPlain is Seal for a terminal without styles. It keeps no sequence.
func SealPlain(row string) string { return seal(row, func(string) int { return 0 }) }

// seal makes everything in a row visible except the allowed sequences. sequence returns the length of the
// allowed sequence at the beginning of its argument, or 0 for none.
func seal(row string, sequence func(string) int) string {
	var b strings.Builder
	from := 0
	for at := 0; at < len(row); {
		c := row[at]
		if c >= ' ' && c < 0x7f {
			at++
			continue
		}
		if n := sequence(row[at:]); n > 0 {
			at += n
			continue
		}
		r, size := utf8.DecodeRuneInString(row[at:])
		if c >= utf8.RuneSelf && !(r == utf8.RuneError && size == 1) && !IsHiding(r) {
			at += size
			continue
		}
		b.WriteString(row[from:at])
		b.WriteString(visibleText(row[at:at+size], r))
		at += size
		from = at
	}
	if from == 0 {
		return row
	}
	return b.String() + row[from:]
}

// visibleText returns the visible text for a character that a terminal would interpret or not show. Within
// a row this includes a tab and a line end, which move the cursor.
func visibleText(text string, r rune) string {
	switch r {
	case '\t':
		return "␉"
	case '\n':
		return "␊"
	}
	return humanize.EscapeInvisible(text)
}

// styleLength returns the length of the sequence that sets a style (SGR) at the beginning of
// text, or 0 for none.
func styleLength(text string) int {
	if !strings.HasPrefix(text, "\x1b[") {
		return 0
	}
	for i := 2; i < len(text); i++ {
		switch c := text[i]; {
		case c == 'm':
			return i + 1
		case (c < '0' || c > '9') && c != ';' && c != ':':
			return 0
		}
	}
	return 0
}

// IsHiding reports whether a character reorders or hides the text around it, or is blank although it looks
// like a character. It returns false for invisible characters that only affect typesetting, such as a
// joiner, because prose in many scripts needs them. Text for approval has a stricter rule; see Reveal.
func IsHiding(r rune) bool {
	switch {
	case r >= 0xa0 && r < 0x300: // Latin, the most frequent range beyond ASCII
		return false
	case r >= 0xfe00 && r <= 0xfe0f: // variation selectors
		return false
	}
	switch r {
	case 0xad, 0x200c, 0x200d, 0x2060: // soft hyphen, non-joiner, joiner, no break
		return false
	}
	return humanize.IsHidden(r)
}
