// Package lenientjson decodes the JSON of servers leniently. Decoding its types never fails: a member
// of an unexpected type becomes the zero value, and the other members are still decoded. encoding/json
// treats the plain types of a struct in the same way: it continues after a member of the wrong type.
package lenientjson

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
)

// Decode decodes JSON into a T, as far as the types of the members fit.
func Decode[T any](data []byte) T {
	var value T
	_ = json.Unmarshal(data, &value)
	return value
}

// Text is a string, or the text of one content part or of a list of parts.
type Text string

// UnmarshalJSON implements json.Unmarshaler.
func (t *Text) UnmarshalJSON(raw []byte) error {
	*t = ""
	switch raw[0] {
	case '"':
		*t = Text(Decode[string](raw))
	case '{', '[':
		var b strings.Builder
		for _, part := range Decode[List[struct {
			Text Text `json:"text"`
		}]](raw) {
			b.WriteString(string(part.Text))
		}
		*t = Text(b.String())
	}
	return nil
}

// Int is a whole number, or a string with one.
type Int struct {
	Value int
	// Is reports whether the member exists and is such a number.
	Is bool
}

// UnmarshalJSON implements json.Unmarshaler.
func (n *Int) UnmarshalJSON(raw []byte) error {
	*n = Int{} // if a member occurs twice, the last one counts
	f, err := strconv.ParseFloat(strings.Trim(string(raw), `"`), 64)
	if n.Is = err == nil && f == math.Trunc(f) && math.Abs(f) <= math.MaxInt32; n.Is {
		n.Value = int(f)
	}
	return nil
}

// NonNegative returns the number, or 0 if it is negative.
func (n Int) NonNegative() int { return max(n.Value, 0) }

// List is a list of objects, or one object. Items that are not objects are omitted.
type List[T any] []T

// UnmarshalJSON implements json.Unmarshaler.
func (l *List[T]) UnmarshalJSON(raw []byte) error {
	*l = nil
	items := []json.RawMessage{raw}
	if raw[0] == '[' {
		items = Decode[[]json.RawMessage](raw)
	}
	for _, item := range items {
		if item[0] == '{' {
			*l = append(*l, Decode[T](item))
		}
	}
	return nil
}

// JSON is JSON in a string, or the JSON value itself, which a few servers send.
type JSON string

// UnmarshalJSON implements json.Unmarshaler.
func (j *JSON) UnmarshalJSON(raw []byte) error {
	switch {
	case raw[0] == '"':
		*j = JSON(Decode[string](raw))
	case string(raw) != "null":
		*j = JSON(raw)
	}
	return nil
}
