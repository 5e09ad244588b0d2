package rawjson

import "unicode/utf8"

// hexDigits are for \u escapes.
const hexDigits = "0123456789abcdef"

// AppendString appends s as a JSON string. A conversation is mostly text and passes
// out whole with every request, so this is what a request costs: it copies runs
// and escapes only what JSON demands, where encoding/json also escapes <, > and &.
// Bytes that are not UTF-8 become U+FFFD.
func AppendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	run := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			if r != utf8.RuneError || size > 1 {
				i += size
				continue
			}
		}
		dst = append(dst, s[run:i]...)
		dst = appendEscaped(dst, c)
		i++
		run = i
	}
	dst = append(dst, s[run:]...)
	return append(dst, '"')
}

// appendEscaped appends one byte that may not be for itself.
func appendEscaped(dst []byte, c byte) []byte {
	switch {
	case c == '"' || c == '\\':
		return append(dst, '\\', c)
	case c == '\n':
		return append(dst, '\\', 'n')
	case c == '\t':
		return append(dst, '\\', 't')
	case c == '\r':
		return append(dst, '\\', 'r')
	case c < ' ':
		return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&0xF])
	default:
		return utf8.AppendRune(dst, utf8.RuneError)
	}
}
