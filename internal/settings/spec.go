package settings

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// Category groups settings in lists.
type Category string

// The categories, in the order of display.
const (
	CategoryModel Category = "model"
	// CategoryBehavior has the name that the requirements prescribe (REQ-HD-009.1).
	CategoryBehavior Category = "cli-behavior"
	CategoryTools    Category = "tools"
	CategoryPrice    Category = "price"
)

// Spec describes one setting (D-38). A Spec of a Registry must not be changed.
type Spec struct {
	// Key is the canonical name, which is the only name in files.
	Key string
	// Aliases lists other names that users may type.
	Aliases []string
	// Help is a line of help.
	Help     string
	Category Category
	// Unset briefly describes the behavior without a value. It is empty for a setting with a
	// default.
	Unset string
	// Person is set if the setting belongs to the user. Otherwise it belongs to the task, and a
	// choice on the screen applies only to the session.
	Person bool
	// Environment is the environment variable that sets the value, or empty.
	Environment string

	standard Value
	kind     Kind[any]
}

// Type returns the displayed type of the values.
func (s *Spec) Type() Type { return s.kind.name }

// Default returns the built-in default, which may be unset.
func (s *Spec) Default() Value { return s.standard }

// ValidValuesText describes the valid values, such as "a number from 0 to 2".
func (s *Spec) ValidValuesText() string { return s.kind.takes }

// Values returns the valid values, such as the words of an enum, or true and false. It returns nil
// if they cannot be listed.
func (s *Spec) Values() []string { return slices.Clone(s.kind.values) }

// Parse validates text and returns its value in canonical form. The error is one line that
// describes the valid values. It never contains a text that may be a secret.
func (s *Spec) Parse(text string) (Value, error) {
	v, err := s.kind.parse(strings.TrimSpace(text))
	if err != nil {
		return Value{}, &Error{Key: s.Key, Problem: err.Error()}
	}
	return Value{v}, nil
}

// fromJSON validates a value of a profile file. The error is an *Error.
func (s *Spec) fromJSON(raw json.RawMessage) (Value, error) {
	var decoded any
	_ = json.Unmarshal(raw, &decoded) // a number such as 1e999 stays nil, which is invalid
	text, fits, other := "", false, "not "+quote(string(raw))
	switch v := decoded.(type) {
	case string:
		text, fits, other = v, s.kind.isText(), "not "+quote(v)
		if json.Valid([]byte(v)) {
			other = "without quotes"
		}
	case bool:
		text, fits = strconv.FormatBool(v), s.Type() == TypeBool
	case float64:
		text, fits = textOf(v), s.Type() == TypeInt || s.Type() == TypeNumber
	case map[string]any:
		text, fits = string(raw), s.Type() == TypeObject
	}
	if !fits {
		return Value{}, &Error{Key: s.Key, Problem: "must be " + s.ValidValuesText() + ", " + other}
	}
	return s.Parse(text)
}

func (s *Spec) schema() (*jsonschema.Schema, error) {
	schema := s.kind.schema()
	schema.Description = s.Help
	if s.standard.IsSet() {
		encoded, err := json.Marshal(s.standard)
		if err != nil {
			return nil, err
		}
		schema.Default = encoded
	}
	return schema, nil
}
