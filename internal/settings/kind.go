package settings

import (
	"errors"

	"github.com/google/jsonschema-go/jsonschema"
)

// Type names a kind of value, as users read it.
type Type string

// Kind is a kind of value, held as a T: how a person types it, how a JSON file
// writes it, and which values are valid. Each is a file of its own, kind_*.go.
type Kind[T any] interface {
	// Type is its name.
	Type() Type
	// takes says what is valid, so that it can follow "must be".
	takes() string
	// values lists what can be chosen from, nil when that cannot be listed.
	values() []string
	// text is v as a person would type it.
	text(v T) string
	// parseText reads what a person typed, without blanks around it. The error is a
	// predicate of the key, such as "must be true or false".
	parseText(text string) (T, error)
	// parseJSON reads a value decoded by encoding/json. The error is errOtherType
	// when the value is not of the kind's JSON type, else as that of parseText.
	parseJSON(decoded any) (T, error)
	// schema adds what is valid to a JSON Schema.
	schema(schema *jsonschema.Schema)
}

// errOtherType says that a JSON value is of another type than the kind's.
var errOtherType = errors.New("of another type")

// kind is a Kind whatever type its values have.
type kind interface {
	Type() Type
	takes() string
	values() []string
	parse(text string) (Value, error)
	fromJSON(decoded any) (Value, error)
	schema(schema *jsonschema.Schema)
}

type untyped[T any] struct{ Kind[T] }

func (k untyped[T]) parse(text string) (Value, error) { return k.value(k.parseText(text)) }

func (k untyped[T]) fromJSON(decoded any) (Value, error) { return k.value(k.parseJSON(decoded)) }

func (k untyped[T]) value(v T, err error) (Value, error) {
	if err != nil {
		return Value{}, err
	}
	return Value{v, k.text(v)}, nil
}
