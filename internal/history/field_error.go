package history

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// FieldError reports an error in a field of an entry.
type FieldError struct {
	// At is the path from the entry to the field, for example /blocks/2/callId. It is empty for the
	// entry as a whole.
	At      jsontext.Pointer
	Problem string
}

func (e *FieldError) Error() string {
	if e.At == "" {
		return e.Problem
	}
	return fieldName(e.At) + ": " + e.Problem
}

// fieldName formats a pointer for people: history[3].blocks[0].callId.
func fieldName(at jsontext.Pointer) string {
	var b strings.Builder
	for token := range at.Tokens() {
		if strings.Trim(token, "0123456789") == "" && token != "" {
			fmt.Fprintf(&b, "[%s]", token)
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		b.WriteString(token)
	}
	return b.String()
}

// fieldError converts an error of the JSON library to a FieldError with our own text, if possible.
func fieldError(err error) error {
	if wrong := (*FieldError)(nil); errors.As(err, &wrong) {
		return wrong
	}
	if syntax := (*jsontext.SyntacticError)(nil); errors.As(err, &syntax) {
		return &FieldError{syntax.JSONPointer, "is not valid JSON: " + syntax.Err.Error()}
	}
	wrong := (*json.SemanticError)(nil)
	switch {
	case !errors.As(err, &wrong):
		return err
	case wrong.JSONPointer == "":
		return &FieldError{"", "is not a JSON object"}
	}
	return &FieldError{wrong.JSONPointer, "must be " + wanted(wrong.GoType)}
}

func wanted(t reflect.Type) string {
	if t == nil {
		return "something else"
	}
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Int, reflect.Pointer:
		return "a whole number"
	case reflect.Slice:
		return "a list"
	default:
		return "an object"
	}
}

// required returns an error for a member of data that was read as its zero value. The member is
// missing, or null although wanted is required. It returns nil if the member has a value.
func required(data []byte, at jsontext.Pointer, wanted string) error {
	start, found := offset(data, at)
	switch {
	case !found:
		return &FieldError{at, "is missing"}
	case bytes.HasPrefix(data[start:], []byte("null")):
		return &FieldError{at, "must be " + wanted}
	}
	return nil
}

// offset returns the position in data at which the value at begins. If there is no such value, it
// returns the position of the deepest existing part of the pointer. If several members have the same
// name, the last counts. Decoding does not store positions, because only errors need one.
func offset(data []byte, at jsontext.Pointer) (start int, found bool) {
	in := jsontext.NewDecoder(bytes.NewReader(data), asItCame)
	for {
		end := int(in.InputOffset())
		token, err := in.ReadToken()
		if err != nil {
			return start, found
		}
		closes := token.Kind() == '}' || token.Kind() == ']'
		if here := in.StackPointer(); !closes && here.Contains(at) {
			rest := data[end:]
			start = end + len(rest) - len(bytes.TrimLeft(rest, " \t\r\n,:"))
			found = here == at
		}
	}
}
