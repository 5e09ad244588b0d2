package decode

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"

	"agent/internal/base/arguments"
	"agent/internal/base/suggest"
)

// Parameters describes the parameters of a tool as the fields of a struct A. A field's json tag is
// the name of the parameter, omitempty makes it optional, and its jsonschema tag is the
// description.
type Parameters[A any] struct {
	schema func() *jsonschema.Schema
	// JSON returns the JSON Schema of the parameters. The schema is derived at the first call,
	// because program start does not need it.
	JSON func() json.RawMessage
}

// ParametersOf returns the parameters that are the fields of A. Their schema has the plain form
// that every provider accepts: one type for each parameter, no null.
func ParametersOf[A any]() Parameters[A] {
	schema := sync.OnceValue(func() *jsonschema.Schema {
		schema, err := jsonschema.For[A](nil)
		if err != nil {
			// JSON cannot express the argument struct.
			panic(err)
		}
		withoutNull(schema)
		return schema
	})
	return Parameters[A]{schema: schema, JSON: sync.OnceValue(func() json.RawMessage {
		encoded, err := json.Marshal(schema())
		if err != nil {
			// An inferred schema always encodes.
			panic(err)
		}
		return encoded
	})}
}

// Decode decodes a model's arguments into A. It accepts frequent mistakes with a single meaning:
// numbers and booleans written as strings, one string for a list, null for "not given". It returns
// an exact error for all others. [Translate] must have translated other names of parameters.
func (p Parameters[A]) Decode(sent arguments.Arguments) (A, error) {
	var args A
	given, ok := membersOf(sent)
	if !ok {
		return args, errors.New("the arguments " + problem(sent.InvalidText()))
	}
	schema := p.schema()
	var unknown []string
	for i, m := range given {
		if property, ok := schema.Properties[m.name]; ok {
			given[i].value = coerce(property.Type, m.value)
		} else {
			unknown = append(unknown, m.name)
		}
	}
	if len(unknown) > 0 {
		return args, p.unknown(unknown)
	}
	for _, name := range schema.Required {
		if given.index(name) < 0 {
			return args, missing(name, schema.Properties[name].Description)
		}
	}
	strict := json.NewDecoder(bytes.NewReader(given.json()))
	strict.DisallowUnknownFields()
	return args, described(strict.Decode(&args))
}

func (p Parameters[A]) unknown(given []string) error {
	names := p.schema().PropertyOrder
	var says []string
	for _, name := range given {
		says = append(says, strconv.Quote(name)+suggest.Question(name, names))
	}
	what := "unknown parameter "
	if len(says) > 1 {
		what = "unknown parameters "
	}
	valid := "; this tool has no parameters"
	if len(names) > 0 {
		valid = " (valid: " + strings.Join(names, ", ") + ")"
	}
	return errors.New(what + strings.Join(says, ", ") + valid)
}

// described rewrites a decoding error in the terms of the JSON schema.
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

func withArticle(noun string) string {
	if strings.ContainsRune("aeiou", rune(noun[0])) {
		return "an " + noun
	}
	return "a " + noun
}

// withoutNull removes null from the types of slices.
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

// missing returns the error for a required parameter that the call does not have.
func missing(name, description string) error {
	if description != "" {
		description = " (" + description + ")"
	}
	return fmt.Errorf("missing required parameter %q%s", name, description)
}
