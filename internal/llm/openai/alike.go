package openai

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"unicode/utf8"

	"agent/internal/llm/loose"
)

// alike reads the events of a stream. Nearly all of them are the same but for a piece of
// text, and reading JSON as loosely as servers write it costs more than all else that is
// done with such a piece: of an event that is like the one before, only the text is read.
type alike struct {
	// before and after are the bytes around the text of the event that was learned, which
	// they are nil without; event is that event without its text.
	before, after []byte
	event         chatEvent
	// learned counts what was learned and since then not met again.
	learned int
}

// mostLearned is how often in a row an event is learned that no other one is like, such
// as in a stream in which each has a number of its own.
const mostLearned = 4

// read is loose.Decode of an event.
func (a *alike) read(data []byte) chatEvent {
	if text, ok := a.textOf(data); ok {
		a.learned = 0
		return a.with(text)
	}
	event := loose.Decode[chatEvent](data)
	if a.learned < mostLearned {
		a.learn(data)
	}
	return event
}

// textOf is the JSON string in an event that is like the one that was learned.
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

// with is the event that was learned with another text.
func (a *alike) with(text []byte) chatEvent {
	event, delta := a.event, *a.event.Choices[0].Delta
	delta.Content = content{answer: stringOf(text)}
	event.Choices = slices.Clone(event.Choices)
	event.Choices[0].Delta = &delta
	return event
}

// learn takes an event as the one that others may be like, if all of it but the first
// content says the same whatever that is.
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
	a.learned++
	a.before, a.after = slices.Clone(data[:from]), slices.Clone(data[from+length:])
	a.event = loose.Decode[chatEvent](slices.Concat(a.before, []byte(`""`), a.after))
	if len(a.event.Choices) != 1 || a.event.Choices[0].Delta == nil || !reflect.DeepEqual(a.with([]byte(`"text"`)), loose.Decode[chatEvent](slices.Concat(a.before, []byte(`"text"`), a.after))) {
		a.before = nil
	}
}

// stringOf is the value of a JSON string.
func stringOf(text []byte) string {
	if bytes.IndexByte(text, '\\') < 0 && utf8.Valid(text) {
		return string(text[1 : len(text)-1])
	}
	return loose.Decode[string](text)
}

// stringLength is the length of the JSON string that data begins with, 0 for none. One
// that holds a control character is none.
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
