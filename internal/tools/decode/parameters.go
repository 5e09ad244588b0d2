package decode

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"agent/internal/nearest"
)

// Parameters are those of a tool as the fields of a struct A: a field's json tag names the
// parameter, omitempty makes it optional, its jsonschema tag is the description.
type Parameters[A any] struct {
	// Schema is their JSON Schema.
	Schema json.RawMessage
	parsed *jsonschema.Schema
}

// ParametersOf returns the parameters that are the fields of A. Their schema has the plain
// form that every provider understands: one type a parameter, no null.
func ParametersOf[A any]() Parameters[A] {
	schema, err := jsonschema.For[A](nil)
	if err != nil {
		// Only an argument struct that JSON cannot express comes here.
		panic(err)
	}
	withoutNull(schema)
	encoded, err := json.Marshal(schema)
	if err != nil {
		// An inferred schema always encodes.
		panic(err)
	}
	return Parameters[A]{Schema: encoded, parsed: schema}
}

// Decode turns a model's arguments into A. It forgives what models often get wrong and
// what has one meaning only (numbers and booleans written as strings, one string for a
// list, null for "not given"), and says exactly what is wrong with everything else. Names
// that mean another one are translated before ([Meant]).
func (p Parameters[A]) Decode(raw json.RawMessage) (A, error) {
	var args A
	given, err := object(raw)
	if err != nil {
		return args, err
	}
	var unknown []string
	for i, m := range given {
		if property, ok := p.parsed.Properties[m.name]; ok {
			given[i].value = coerce(property.Type, m.value)
		} else {
			unknown = append(unknown, m.name)
		}
	}
	if len(unknown) > 0 {
		return args, p.unknown(unknown)
	}
	for _, name := range p.parsed.Required {
		if given.index(name) < 0 {
			return args, fmt.Errorf("missing required parameter %q (%s)", name, p.parsed.Properties[name].Description)
		}
	}
	strict := json.NewDecoder(bytes.NewReader(given.json()))
	strict.DisallowUnknownFields()
	return args, described(strict.Decode(&args))
}

// object reads the arguments as a JSON object.
func object(raw json.RawMessage) (members, error) {
	if len(bytes.TrimSpace(raw)) == 0 {
		return nil, nil
	}
	given, ok := parse(string(raw))
	if ok {
		return given, nil
	}
	var syntax *json.SyntaxError
	if err := json.Unmarshal(raw, new(any)); errors.As(err, &syntax) {
		return nil, fmt.Errorf("the arguments are not valid JSON: %w at byte %d of %d", err, syntax.Offset, len(raw))
	}
	return nil, fmt.Errorf("the arguments must be a JSON object, not %s", kindOf(raw))
}

// unknown refuses parameters that the tool does not have, all at once.
func (p Parameters[A]) unknown(given []string) error {
	names := p.parsed.PropertyOrder
	var says []string
	for _, name := range given {
		says = append(says, strconv.Quote(name)+nearest.Question(name, names))
	}
	what := "unknown parameter "
	if len(says) > 1 {
		what = "unknown parameters "
	}
	valid := "; this tool takes none"
	if len(names) > 0 {
		valid = " (valid: " + strings.Join(names, ", ") + ")"
	}
	return errors.New(what + strings.Join(says, ", ") + valid)
}

// coerce rewrites a value of the wrong type when it has one possible meaning.
func coerce(want string, value json.RawMessage) json.RawMessage {
	var text string
	isText := json.Unmarshal(value, &text) == nil
	switch want {
	case "integer":
		if n, ok := whole(value); ok {
			return number(n)
		}
	case "boolean":
		return truth(value)
	case "array":
		var list []json.RawMessage
		if !isText {
			break
		}
		if json.Unmarshal([]byte(text), &list) == nil {
			return json.RawMessage(text)
		}
		return slices.Concat([]byte("["), value, []byte("]"))
	}
	return value
}

// described rewrites a decoding error in the words of the schema.
func described(err error) error {
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) {
		return err
	}
	return fmt.Errorf("parameter %q must be %s, not %s", wrong.Field, schemaType(wrong), withArticle(wrong.Value))
}

func schemaType(wrong *json.UnmarshalTypeError) string {
	schema, err := jsonschema.ForType(wrong.Type, nil)
	if err != nil {
		return wrong.Type.String()
	}
	withoutNull(schema)
	return withArticle(schema.Type)
}

// kindOf names the kind of a JSON value for an error message.
func kindOf(raw json.RawMessage) string {
	switch bytes.TrimSpace(raw)[0] {
	case '[':
		return "an array"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	default:
		return "a number"
	}
}

func withArticle(noun string) string {
	if strings.ContainsRune("aeiou", rune(noun[0])) {
		return "an " + noun
	}
	return "a " + noun
}

// withoutNull drops the null that slices may be.
func withoutNull(s *jsonschema.Schema) {
	if len(s.Types) == 2 && s.Types[0] == "null" {
		s.Type, s.Types = s.Types[1], nil
	}
	if s.Items != nil {
		withoutNull(s.Items)
	}
	for _, property := range s.Properties {
		withoutNull(property)
	}
}
