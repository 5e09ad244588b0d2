// Package arguments holds the arguments of a tool call. They are parsed once, when the call enters
// the program. All later code, from the session log to the tool, uses the parsed [Arguments].
//
// Arguments also keep the original bytes, because the session log and the provider need them
// unchanged.
package arguments

import (
	"bytes"
	"encoding/json"
	"iter"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// Arguments are the arguments of one call. The zero value represents unknown arguments. Arguments
// are immutable, and callers must not change the values that they return.
type Arguments struct {
	raw     json.RawMessage
	members []member
	object  bool
	// text is the model's text if that is not a JSON object.
	text string
}

type member struct {
	name string
	raw  json.RawMessage
	// value is the decoded value of a short argument.
	value any
}

// maxDecoded is the length in bytes of the longest argument that Arguments keep in decoded form.
// The limit prevents that the content of a file is in memory twice.
const maxDecoded = 8 << 10

// Parse returns the arguments that a model wrote. The text of a call without arguments may be
// empty. If an argument occurs twice, the last one counts.
func Parse[T ~string | ~[]byte](text T) Arguments {
	written := []byte(text)
	if len(bytes.TrimSpace(written)) == 0 {
		return Arguments{raw: json.RawMessage("{}"), object: true}
	}
	var compact bytes.Buffer
	if json.Compact(&compact, written) != nil {
		// A JSON string keeps all that the model wrote.
		quoted, _ := json.Marshal(string(written))
		return Arguments{raw: quoted, text: string(written)}
	}
	a := Arguments{raw: written}
	if compact.Len() < len(written) {
		a.raw = compact.Bytes()
	}
	if a.object = a.raw[0] == '{'; a.object {
		a.members = split(a.raw)
	} else {
		a.text = string(written)
	}
	return a
}

func split(object json.RawMessage) (all []member) {
	in := jsontext.NewDecoder(bytes.NewReader(object), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	_, err := in.ReadToken()
	for err == nil && in.PeekKind() == '"' {
		name, _ := in.ReadToken()
		m := member{name: name.String()}
		var value jsontext.Value
		value, err = in.ReadValue()
		end := in.InputOffset()
		m.raw = object[end-int64(len(value)) : end : end]
		if len(m.raw) <= maxDecoded {
			m.value = decoded(m.raw)
		}
		all = slices.DeleteFunc(all, func(other member) bool { return other.name == m.name })
		all = append(all, m)
	}
	return all
}

// decoded returns a JSON value as encoding/json decodes it, nil for a number that is too large.
func decoded(raw json.RawMessage) (value any) {
	if json.Unmarshal(raw, &value) != nil {
		return nil
	}
	return value
}

// Raw returns the arguments as JSON without white space. A text that is not JSON is a JSON string.
func (a Arguments) Raw() json.RawMessage { return a.raw }

// String returns Raw as a text.
func (a Arguments) String() string { return string(a.raw) }

// IsObject reports whether the arguments are a JSON object, as every tool requires.
func (a Arguments) IsObject() bool { return a.object }

// InvalidText returns the arguments as the model wrote them if they are not a JSON object, otherwise "".
func (a Arguments) InvalidText() string { return a.text }

// Len returns the number of arguments.
func (a Arguments) Len() int { return len(a.members) }

// All yields the arguments by name, in the order in which the model wrote them.
func (a Arguments) All() iter.Seq2[string, json.RawMessage] {
	return func(yield func(string, json.RawMessage) bool) {
		for _, m := range a.members {
			if !yield(m.name, m.raw) {
				return
			}
		}
	}
}

// Value returns the JSON of an argument, and whether the call has it.
func (a Arguments) Value(name string) (json.RawMessage, bool) {
	if m := a.member(name); m != nil {
		return m.raw, true
	}
	return nil, false
}

// Arg returns an argument as encoding/json decodes it into an any, and whether the call has it.
func (a Arguments) Arg(name string) (any, bool) {
	m := a.member(name)
	switch {
	case m == nil:
		return nil, false
	case len(m.raw) > maxDecoded:
		return decoded(m.raw), true
	}
	return m.value, true
}

// StringArg returns an argument that is a string, and "" for an argument of another type.
func (a Arguments) StringArg(name string) string {
	value, _ := a.Arg(name)
	text, _ := value.(string)
	return text
}

// CachedArg is like Arg, but returns only arguments that are kept in decoded form. It serves paths,
// commands and patterns, and never decodes the content of a file.
func (a Arguments) CachedArg(name string) (any, bool) {
	if m := a.member(name); m != nil && len(m.raw) <= maxDecoded {
		return m.value, true
	}
	return nil, false
}

// Map returns all arguments as encoding/json decodes an object.
func (a Arguments) Map() map[string]any {
	all := make(map[string]any, len(a.members))
	for _, m := range a.members {
		all[m.name], _ = a.Arg(m.name)
	}
	return all
}

func (a Arguments) member(name string) *member {
	for i := range a.members {
		if a.members[i].name == name {
			return &a.members[i]
		}
	}
	return nil
}
