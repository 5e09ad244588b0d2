package settings

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// Category groups settings where they are listed.
type Category string

// The categories, in the order they are shown.
const (
	CategoryModel Category = "model"
	// CategoryBehaviour is the category the requirements name (REQ-HD-009.1).
	CategoryBehaviour Category = "cli-behavior"
	CategoryTools     Category = "tools"
	CategoryPrice     Category = "price"
)

// Spec describes one setting (D-38). The Specs of a Registry must not be changed.
type Spec struct {
	// Key is the canonical name; only it is ever stored.
	Key string
	// Aliases are other names users may type.
	Aliases []string
	// Help is one line.
	Help     string
	Category Category
	// Unset says in a few words what happens when the setting has no value; it is
	// empty for one with a default.
	Unset string
	// Environment names the variable that sets the value, if any.
	Environment string

	standard Value
	kind     Kind[any]
}

// Type returns what sort of value the setting takes.
func (s *Spec) Type() Type { return s.kind.name }

// Default returns the built-in value, which may be unset.
func (s *Spec) Default() Value { return s.standard }

// Takes says what values the setting takes, for example "a number from 0 to 2".
func (s *Spec) Takes() string { return s.kind.takes }

// Values returns the values a user can choose from: those of an enum, or true
// and false; nil when they cannot be listed.
func (s *Spec) Values() []string { return slices.Clone(s.kind.values) }

// Parse validates text and returns it in canonical form. The error is one line
// that names the valid choice; it never repeats what may be a secret.
func (s *Spec) Parse(text string) (Value, error) {
	v, err := s.kind.parse(strings.TrimSpace(text))
	if err != nil {
		return Value{}, &Error{Key: s.Key, Problem: err.Error()}
	}
	return Value{v}, nil
}

// fromJSON validates a value of a profile file. Errors are *Error.
func (s *Spec) fromJSON(raw json.RawMessage) (Value, error) {
	var decoded any
	_ = json.Unmarshal(raw, &decoded) // a number such as 1e999 stays nil, which no setting takes
	text, fits, other := "", false, "not "+quote(string(raw))
	switch v := decoded.(type) {
	case string:
		text, fits, other = v, s.kind.isText(), "without quotes"
	case bool:
		text, fits = strconv.FormatBool(v), s.Type() == TypeBool
	case float64:
		text, fits = textOf(v), s.Type() == TypeInt || s.Type() == TypeNumber
	case map[string]any:
		text, fits = string(raw), s.Type() == TypeObject
	}
	if !fits {
		return Value{}, &Error{Key: s.Key, Problem: "must be " + s.Takes() + ", " + other}
	}
	return s.Parse(text)
}

// schema is the JSON Schema of the setting.
func (s *Spec) schema() (*jsonschema.Schema, error) {
	schema := s.kind.schema
	schema.Description = s.Help
	if s.standard.IsSet() {
		encoded, err := json.Marshal(s.standard)
		if err != nil {
			return nil, err
		}
		schema.Default = encoded
	}
	return &schema, nil
}
