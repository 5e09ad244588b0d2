package decode

import (
	"bytes"
	"cmp"
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

// ParametersOf returns the parameters that are the fields of A.
func ParametersOf[A any]() Parameters[A] {
	schema := schemaOf[A]()
	encoded, err := json.Marshal(schema)
	if err != nil {
		// A schema made by schemaOf always encodes.
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
	if err := p.known(given, raw); err != nil {
		return args, err
	}
	for name, value := range given {
		given[name] = coerce(p.parsed.Properties[name].Type, value)
	}
	for _, name := range p.parsed.Required {
		if _, ok := given[name]; !ok {
			return args, fmt.Errorf("missing required parameter %q (%s)", name, p.parsed.Properties[name].Description)
		}
	}
	cleaned, err := json.Marshal(given)
	if err != nil {
		return args, err
	}
	strict := json.NewDecoder(bytes.NewReader(cleaned))
	strict.DisallowUnknownFields()
	return args, described(strict.Decode(&args))
}

// object reads the arguments as a JSON object, dropping what is null.
func object(raw json.RawMessage) (map[string]json.RawMessage, error) {
	given := map[string]json.RawMessage{}
	if len(bytes.TrimSpace(raw)) == 0 {
		return given, nil
	}
	if !json.Valid(raw) {
		var syntax *json.SyntaxError
		if err := json.Unmarshal(raw, &given); errors.As(err, &syntax) {
			return nil, fmt.Errorf("the arguments are not valid JSON: %w at byte %d of %d", err, syntax.Offset, len(raw))
		}
	}
	if err := json.Unmarshal(raw, &given); err != nil {
		return nil, fmt.Errorf("the arguments must be a JSON object, not %s", KindOf(raw))
	}
	for name, value := range given {
		if string(value) == "null" {
			delete(given, name)
		}
	}
	return given, nil
}

// known refuses parameters that the tool does not have, all at once in the order in which
// they were sent.
func (p Parameters[A]) known(given map[string]json.RawMessage, raw json.RawMessage) error {
	var unknown []string
	for name := range given {
		if _, ok := p.parsed.Properties[name]; ok {
			continue
		}
		unknown = append(unknown, name)
	}
	if len(unknown) == 0 {
		return nil
	}
	place := func(name string) int {
		quoted, _ := json.Marshal(name)
		return bytes.Index(raw, quoted)
	}
	slices.SortFunc(unknown, func(a, b string) int { return cmp.Or(cmp.Compare(place(a), place(b)), strings.Compare(a, b)) })
	names := slices.Clone(p.parsed.PropertyOrder)
	var says []string
	for _, name := range unknown {
		says = append(says, strconv.Quote(name)+nearest.Question(name, names))
	}
	what := "unknown parameter "
	if len(says) > 1 {
		what = "unknown parameters "
	}
	if len(names) == 0 {
		return errors.New(what + strings.Join(says, ", ") + "; this tool takes none")
	}
	return errors.New(what + strings.Join(says, ", ") + " (valid: " + strings.Join(names, ", ") + ")")
}

// coerce rewrites a value of the wrong type when it has one possible meaning.
func coerce(want string, value json.RawMessage) json.RawMessage {
	var text string
	isText := json.Unmarshal(value, &text) == nil
	switch want {
	case "integer":
		if !isText {
			text = string(value)
		}
		if n, err := strconv.ParseFloat(strings.TrimSpace(text), 64); err == nil && n == float64(int64(n)) {
			return strconv.AppendInt(nil, int64(n), 10)
		}
	case "boolean":
		if b, err := strconv.ParseBool(strings.ToLower(text)); isText && err == nil {
			return strconv.AppendBool(nil, b)
		}
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

// KindOf names the kind of a JSON value for an error message.
func KindOf(raw json.RawMessage) string {
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

// schemaOf infers the JSON Schema of A, in the plain form that every provider
// understands: one type a parameter, no null.
func schemaOf[A any]() *jsonschema.Schema {
	schema, err := jsonschema.For[A](nil)
	if err != nil {
		// Only an argument struct that JSON cannot express comes here.
		panic(err)
	}
	withoutNull(schema)
	return schema
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
