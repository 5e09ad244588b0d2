package openai

import (
	"bytes"
	"slices"
	"strings"
)

// surrogates joins the halves of a character that a server has split over two events:
// each half by itself is no text.
type surrogates struct {
	// high is the escape of the first half, empty when none is open.
	high []byte
}

// escapeLength is that of an escape such as \ud83d.
const escapeLength = len(`\ud83d`)

// whole returns the data of an event without a first half that ends a string, and with
// that of the event before in front of a second half that begins one.
func (s *surrogates) whole(data []byte) []byte {
	if len(s.high) > 0 {
		if at := halfAfter(data); at >= 0 {
			data = slices.Insert(slices.Clone(data), at, s.high...)
			s.high = nil
		}
	}
	if at := halfBefore(data); at >= 0 {
		s.high = slices.Clone(data[at : at+escapeLength])
		data = slices.Delete(slices.Clone(data), at, at+escapeLength)
	}
	return data
}

// halfAfter is where a string begins with the second half of a character, -1 for
// nowhere.
func halfAfter(data []byte) int {
	for from := 0; ; {
		i := bytes.Index(data[from:], []byte(`"\u`))
		if i < 0 {
			return -1
		}
		at := from + i + 1
		if isHalf(data[at:], "cdef") && !escaped(data, at-1) {
			return at
		}
		from = at
	}
}

// halfBefore is where a string ends with the first half of a character, -1 for nowhere.
func halfBefore(data []byte) int {
	for from := 0; ; {
		i := bytes.Index(data[from:], []byte(`\u`))
		if i < 0 {
			return -1
		}
		at := from + i
		if end := at + escapeLength; isHalf(data[at:], "89ab") && end < len(data) && data[end] == '"' && !escaped(data, at) {
			return at
		}
		from = at + 1
	}
}

// isHalf reports whether data begins with an escape of a surrogate whose third digit is
// one of those given.
func isHalf(data []byte, digits string) bool {
	if len(data) < escapeLength {
		return false
	}
	escape := strings.ToLower(string(data[:escapeLength]))
	return strings.HasPrefix(escape, `\ud`) && strings.Contains(digits, escape[3:4])
}

// escaped reports whether a backslash is before the byte at, which is not itself
// behind another one.
func escaped(data []byte, at int) bool {
	n := 0
	for at-n > 0 && data[at-n-1] == '\\' {
		n++
	}
	return n%2 == 1
}
