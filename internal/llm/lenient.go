package llm

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
)

// The types of this file read members of what servers send, in the shapes in which
// they come. None of them fails: a shape that makes no sense is the zero value, so
// that it costs nothing but itself. encoding/json does the same for the plain
// types of a struct: it goes on after a member of the wrong type.

// decode reads JSON as a T, as far as its members have the shape of T's.
func decode[T any](data []byte) T {
	var value T
	_ = json.Unmarshal(data, &value)
	return value
}

// looseText is a string, or what is text in one part or in a list of them.
type looseText string

// UnmarshalJSON implements json.Unmarshaler.
func (t *looseText) UnmarshalJSON(raw []byte) error {
	*t = ""
	switch raw[0] {
	case '"':
		*t = looseText(decode[string](raw))
	case '{', '[':
		var b strings.Builder
		for _, part := range decode[oneOrMore[struct {
			Text looseText `json:"text"`
		}]](raw) {
			b.WriteString(string(part.Text))
		}
		*t = looseText(b.String())
	}
	return nil
}

// looseInt is a whole number, or a string that is one.
type looseInt struct {
	value int
	is    bool
}

// UnmarshalJSON implements json.Unmarshaler.
func (n *looseInt) UnmarshalJSON(raw []byte) error {
	f, err := strconv.ParseFloat(strings.Trim(string(raw), `"`), 64)
	if n.is = err == nil && f == math.Trunc(f) && math.Abs(f) <= math.MaxInt32; n.is {
		n.value = int(f)
	}
	return nil
}

// tokens is the number as a count, which is never negative.
func (n looseInt) tokens() int { return max(n.value, 0) }

// oneOrMore is a list of objects, or one object. Items that are no objects are
// left out.
type oneOrMore[T any] []T

// UnmarshalJSON implements json.Unmarshaler.
func (l *oneOrMore[T]) UnmarshalJSON(raw []byte) error {
	*l = nil
	items := []json.RawMessage{raw}
	if raw[0] == '[' {
		items = decode[[]json.RawMessage](raw)
	}
	for _, item := range items {
		if item[0] == '{' {
			*l = append(*l, decode[T](item))
		}
	}
	return nil
}
