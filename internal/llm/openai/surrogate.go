package openai

import (
	"bytes"
	"slices"

	"agent/internal/base/lazyregexp"
)

// surrogates joins the two halves of a character (a surrogate pair) that a server has split between two
// events.
type surrogates struct {
	// high is the escape of the first half, or empty.
	high []byte
}

// firstHalf matches the escape of a first half at the end of a string. secondHalf matches the escape of
// a second half at the beginning. An even number of backslashes may precede the escape.
var (
	firstHalf  = lazyregexp.New(`(?:^|[^\\])(?:\\\\)*(\\u[dD][89abAB][0-9a-fA-F]{2})"`)
	secondHalf = lazyregexp.New(`(?:^|[^\\])(?:\\\\)*"(\\u[dD][c-fC-F][0-9a-fA-F]{2})`)
)

// joinHalves joins the halves: it removes a first half from the end of a string, and inserts it before
// the second half in the next event.
func (s *surrogates) joinHalves(data []byte) []byte {
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
