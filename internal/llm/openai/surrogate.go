package openai

import (
	"bytes"
	"slices"

	"agent/internal/pattern"
)

// surrogates joins the halves of a character that a server has split over two events:
// each half by itself is no text.
type surrogates struct {
	// high is the escape of the first half, empty when none is open.
	high []byte
}

// The escapes of a first half that ends a string and of a second half that begins one. An
// even number of backslashes may be in front.
var (
	firstHalf  = pattern.New(`(?:^|[^\\])(?:\\\\)*(\\u[dD][89abAB][0-9a-fA-F]{2})"`)
	secondHalf = pattern.New(`(?:^|[^\\])(?:\\\\)*"(\\u[dD][c-fC-F][0-9a-fA-F]{2})`)
)

// whole returns the data of an event without a first half that ends a string, and with
// that of the event before in front of a second half that begins one.
func (s *surrogates) whole(data []byte) []byte {
	if !bytes.Contains(data, []byte(`\u`)) {
		return data
	}
	if len(s.high) > 0 {
		if at := secondHalf.FindSubmatchIndex(data); at != nil {
			data = slices.Insert(slices.Clone(data), at[2], s.high...)
			s.high = nil
		}
	}
	if at := firstHalf.FindSubmatchIndex(data); at != nil {
		s.high = slices.Clone(data[at[2]:at[3]])
		data = slices.Delete(slices.Clone(data), at[2], at[3])
	}
	return data
}
