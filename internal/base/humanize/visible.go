package humanize

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Visible replaces every character in text that a terminal would obey or a user would not see:
// control characters by their symbol (␛, ␍), other controls and characters without a picture by
// their number (<U+200B>), and bytes that are not UTF-8 by their value (<0x9B>). Newlines and
// tabs stay. Nothing is removed, so two different texts never look the same for want of a
// character. Text that is visible already is returned unchanged.
func Visible(text string) string {
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
		case joinsPicture(last, r, text[i+size:]) || !Hidden(r):
			b.WriteRune(r)
		default:
			b.WriteString(symbol(r))
			r = 0 // the next character must not join this symbol
		}
		last = r
	}
	return b.String()
}

// Hidden reports whether r is invisible in its place: a control character other than newline and
// tab, a character that reorders, joins or hides the text around it, or a character without a
// picture.
func Hidden(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r < 0x7f:
		return r < ' '
	}
	return unicode.IsControl(r) || isBlank(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

// isBlank reports whether a character counts as a letter or a sign but is drawn as nothing: the
// empty Braille cell, the fillers of Khitan and of hieroglyphs, and the note without a head.
func isBlank(r rune) bool {
	switch r {
	case 0x2800, 0x16fe4, 0x1d159, 0x13441, 0x13442:
		return true
	}
	return false
}

// symbol returns the visible text for a hidden character.
func symbol(r rune) string {
	const pictures = 0x2400 // the symbols of the C0 controls, in their order
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

// isPicture reports whether a character is like an emoji. utf8.RuneError, which stands for a byte
// that is not UTF-8, is not.
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
