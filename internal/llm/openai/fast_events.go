package openai

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"unicode/utf8"

	"agent/internal/llm/lenientjson"
)

// alike decodes the events of a stream quickly. Nearly all events of a stream differ only in a part of
// a text. Lenient decoding of an event takes longer than all other processing. If an event differs from
// a learned one only in its text, alike decodes only the text.
type alike struct {
	// before is the part of the learned event before its text, or nil if no event was learned.
	before []byte
	// after is the part of the learned event after its text.
	after []byte
	// event is the learned event without its text.
	event chatEvent
	// misses counts the consecutive learned events after which no event was alike.
	misses int
}

// mostMisses limits the consecutive events learned without a match. In some streams, every event has a
// different number.
const mostMisses = 4

// read decodes an event, with the same result as lenientjson.Decode.
func (a *alike) read(data []byte) chatEvent {
	if text, ok := a.textOf(data); ok {
		a.misses = 0
		return a.withText(text)
	}
	event := lenientjson.Decode[chatEvent](data)
	if a.misses < mostMisses {
		a.learn(data)
	}
	return event
}

// textOf returns the text, as a JSON string, of an event that differs from the learned one only in the
// text.
func (a *alike) textOf(data []byte) (text []byte, ok bool) {
	if a.before == nil || !bytes.HasPrefix(data, a.before) || !bytes.HasSuffix(data, a.after) {
		return nil, false
	}
	end := len(data) - len(a.after)
	if end < len(a.before) || stringLength(data[len(a.before):]) != end-len(a.before) {
		return nil, false
	}
	text = data[len(a.before):end]
	return text, bytes.IndexByte(text, '\\') < 0 || json.Valid(text)
}

// withText returns the learned event with another text.
func (a *alike) withText(text []byte) chatEvent {
	event, delta := a.event, *a.event.Choices[0].Delta
	delta.Content = content{answer: stringOf(text)}
	event.Choices = slices.Clone(event.Choices)
	event.Choices[0].Delta = &delta
	return event
}

// learn learns an event, unless another text would change its other members.
func (a *alike) learn(data []byte) {
	const member = `"content":`
	a.before = nil
	from := bytes.Index(data, []byte(member))
	if from < 0 {
		return
	}
	from += len(member)
	from += len(data[from:]) - len(bytes.TrimLeft(data[from:], " "))
	length := stringLength(data[from:])
	if length == 0 {
		return
	}
	a.misses++
	a.before, a.after = slices.Clone(data[:from]), slices.Clone(data[from+length:])
	a.event = lenientjson.Decode[chatEvent](slices.Concat(a.before, []byte(`""`), a.after))
	if len(a.event.Choices) != 1 || a.event.Choices[0].Delta == nil || !reflect.DeepEqual(a.withText([]byte(`"text"`)), lenientjson.Decode[chatEvent](slices.Concat(a.before, []byte(`"text"`), a.after))) {
		a.before = nil
	}
}

// stringOf returns the value of a JSON string.
func stringOf(text []byte) string {
	if bytes.IndexByte(text, '\\') < 0 && utf8.Valid(text) {
		return string(text[1 : len(text)-1])
	}
	return lenientjson.Decode[string](text)
}

// stringLength returns the length of the JSON string at the beginning of data. It returns 0 if
// there is none or if the string has a control character.
func stringLength(data []byte) int {
	if len(data) == 0 || data[0] != '"' {
		return 0
	}
	for i := 1; i < len(data); i++ {
		switch c := data[i]; {
		case c == '"':
			return i + 1
		case c < ' ':
			return 0
		case c == '\\':
			i++
		}
	}
	return 0
}
