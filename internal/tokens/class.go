package tokens

import (
	"unicode"
	"unicode/utf8"
)

// class is a set of the character classes that the splitting patterns use.
type class uint8

const (
	// upper is [\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]. Such a rune may begin a word.
	upper class = 1 << iota
	// lower is [\p{Ll}\p{Lm}\p{Lo}\p{M}]. Such a rune may continue a word.
	lower
	// letter is \p{L}.
	letter
	// digit is \p{N}.
	digit
	space
	// newline is [\r\n]. A newline is also space.
	newline
)

// classOf returns the class of a rune. Punctuation, symbols and U+FFFD have none.
func classOf(r rune) class {
	switch {
	case unicode.Is(unicode.Lo, r), unicode.Is(unicode.Lm, r):
		return upper | lower | letter
	case unicode.IsLower(r):
		return lower | letter
	case unicode.IsUpper(r), unicode.IsTitle(r):
		return upper | letter
	case unicode.IsMark(r):
		return upper | lower
	case unicode.IsNumber(r):
		return digit
	case r == '\r', r == '\n':
		return space | newline
	case unicode.IsSpace(r):
		return space
	}
	return 0
}

// asciiClasses contains the classes of the ASCII characters, which are most of the characters of a
// text.
var asciiClasses = func() (classes [utf8.RuneSelf]class) {
	for c := range classes {
		classes[c] = classOf(rune(c))
	}
	return classes
}()

// classAt returns the class of the first rune of text and its length in bytes,
// zero at the end of the text.
func classAt(text string) (c class, size int) {
	if len(text) == 0 {
		return 0, 0
	}
	if first := text[0]; first < utf8.RuneSelf {
		return asciiClasses[first], 1
	}
	r, size := utf8.DecodeRuneInString(text)
	return classOf(r), size
}
