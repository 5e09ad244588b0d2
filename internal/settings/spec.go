package settings

import (
	"encoding/json"
	"errors"
	"slices"
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

// Spec describes one setting (D-38) completely but for its kind of value and its
// default, which Declare and Optional add. The Specs of a Registry must not be changed.
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
	kind     kind
	// member is set for a Family.
	member func(name string) (string, error)
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
	if s.member != nil {
		return Value{}, &Error{Key: s.Key, Problem: "stands for many settings; write a name in the place of " + familyName}
	}
	value, err := s.kind.parse(strings.TrimSpace(text))
	if err != nil {
		return Value{}, &Error{Key: s.Key, Problem: err.Error()}
	}
	return value, nil
}

// fromJSON validates a value of a profile file. Errors are *Error.
func (s *Spec) fromJSON(raw json.RawMessage) (Value, error) {
	var decoded any
	if json.Unmarshal(raw, &decoded) != nil {
		decoded = nil // a number such as 1e999; no kind takes nil
	}
	value, err := s.kind.decode(decoded)
	_, isText := decoded.(string)
	switch {
	case err == nil:
		return value, nil
	case !errors.Is(err, errOtherType):
		return Value{}, &Error{Key: s.Key, Problem: err.Error()}
	case isText:
		return Value{}, &Error{Key: s.Key, Problem: "must be " + s.Takes() + ", without quotes"}
	default:
		return Value{}, &Error{Key: s.Key, Problem: "must be " + s.Takes() + ", not " + quote(string(raw))}
	}
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
