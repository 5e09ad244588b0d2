package humanize

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// EscapeInvisible replaces every character in text that a terminal would obey or a user would not see.
// Control characters become their symbol (␛, ␍). Other controls and characters without a glyph
// become their number (<U+200B>). Bytes that are not UTF-8 become their value (<0x9B>). Newlines
// and tabs stay. Nothing is removed, so two different texts never look the same because a character
// is missing. Text that is already visible is returned unchanged.
func EscapeInvisible(text string) string {
	if isPlain(text) {
		return text
	}
	var b strings.Builder
	last := rune(0)
	for i, size := 0, 0; i < len(text); i += size {
		var r rune
		r, size = utf8.DecodeRuneInString(text[i:])
		switch {
		case r == '\n' || r == '\t':
			b.WriteByte(byte(r))
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, "<0x%02X>", text[i])
			r = 0
		case joinsPicture(last, r, text[i+size:]) || !IsHidden(r):
			b.WriteRune(r)
		default:
			b.WriteString(symbol(r))
			r = 0 // the next character must not combine with this symbol
		}
		last = r
	}
	return b.String()
}

// IsHidden reports whether r is invisible. Such characters are controls other than newline and tab,
// characters that reorder, join or hide the text around them, and characters without a glyph.
func IsHidden(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r < 0x7f:
		return r < ' '
	}
	return unicode.IsControl(r) || isBlank(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

// isBlank reports whether Unicode classifies a character as a letter or symbol although it is drawn
// as nothing. These are the empty Braille cell, Khitan and hieroglyphic fillers, and the null
// notehead.
func isBlank(r rune) bool {
	switch r {
	case 0x2800, 0x16fe4, 0x1d159, 0x13441, 0x13442:
		return true
	}
	return false
}

// symbol returns the visible text for a hidden character.
func symbol(r rune) string {
	const pictures = 0x2400 // the symbol for U+0000; the other control symbols follow in order
	switch {
	case r < ' ':
		return string(pictures + r)
	case r == 0x7f:
		return "␡"
	}
	return fmt.Sprintf("<U+%04X>", r)
}

// joinsPicture reports whether r is one of the two invisible characters that combine several
// characters into one emoji. In an ordinary emoji their effect is visible.
func joinsPicture(before, r rune, after string) bool {
	const emojiStyle, joiner = 0xfe0f, 0x200d
	switch r {
	case emojiStyle:
		return isPicture(before)
	case joiner:
		next, _ := utf8.DecodeRuneInString(after)
		return (isPicture(before) || before == emojiStyle || unicode.Is(unicode.Sk, before)) && isPicture(next)
	}
	return false
}

// isPicture reports whether a character is like an emoji. It is false for utf8.RuneError, which
// represents a byte that is not UTF-8.
func isPicture(r rune) bool { return r != utf8.RuneError && unicode.Is(unicode.So, r) }

// isPlain reports whether text is printable ASCII, newlines and tabs.
func isPlain(text string) bool {
	for i := range len(text) {
		if c := text[i]; c >= 0x7f || c < ' ' && c != '\n' && c != '\t' {
			return false
		}
	}
	return true
}
