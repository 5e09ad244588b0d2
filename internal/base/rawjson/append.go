package rawjson

import (
	"math/bits"
	"slices"
	"unicode/utf8"
)

// AppendString appends s as a JSON string. It escapes only what JSON requires; encoding/json also
// escapes <, > and &. Bytes that are not UTF-8 become U+FFFD. A request contains the whole
// conversation in such strings, so this code reads eight bytes at a time. jsontext.AppendQuote has
// the same result, but 40 requests then take 0.16 s of CPU time instead of 0.13 s.
func AppendString(dst []byte, s string) []byte {
	dst = append(slices.Grow(dst, len(s)+2), '"')
	from, at := 0, 0
	for at = plain(s, 0); at < len(s); at = plain(s, at) {
		if c := s[at]; c < utf8.RuneSelf {
			dst = appendEscaped(append(dst, s[from:at]...), c)
			at++
			from = at
			continue
		}
		r, size := utf8.DecodeRuneInString(s[at:])
		if r == utf8.RuneError && size == 1 {
			dst = append(append(dst, s[from:at]...), "\ufffd"...)
			from = at + size
		}
		at += size
	}
	return append(append(dst, s[from:]...), '"')
}

// plain returns the index, from at on, of the first byte that is not ASCII or must be escaped. It
// returns the length of s if there is none.
func plain(s string, at int) int {
	const each, high = 0x0101010101010101, 0x8080808080808080
	for ; at+8 <= len(s); at += 8 {
		b := s[at : at+8]
		word := uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
			uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
		// A zero byte minus one sets the high bit, which the byte itself does not have. A borrow
		// can wrongly mark only bytes after a zero byte.
		control, quote, slash := word-' '*each, word^'"'*each, word^'\\'*each
		if found := (word | control&^word | (quote-each)&^quote | (slash-each)&^slash) & high; found != 0 {
			return at + bits.TrailingZeros64(found)/8
		}
	}
	for at < len(s) && s[at] >= ' ' && s[at] != '"' && s[at] != '\\' && s[at] < utf8.RuneSelf {
		at++
	}
	return at
}

// shortEscapes maps characters to the letter of their two-character escape.
var shortEscapes = [utf8.RuneSelf]byte{'"': '"', '\\': '\\', '\b': 'b', '\f': 'f', '\n': 'n', '\r': 'r', '\t': 't'}

// appendEscaped appends the shortest escape of a character.
func appendEscaped(dst []byte, c byte) []byte {
	const hex = "0123456789abcdef"
	if letter := shortEscapes[c&(utf8.RuneSelf-1)]; letter != 0 {
		return append(dst, '\\', letter)
	}
	return append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
}
