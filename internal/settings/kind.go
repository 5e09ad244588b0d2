package settings

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"agent/internal/base/rawjson"
	"agent/internal/base/suggest"

	"github.com/google/jsonschema-go/jsonschema"
)

// Type is the displayed name of a kind of values.
type Type string

// The types.
const (
	TypeBool     Type = "boolean"
	TypeDuration Type = "duration"
	TypeEnum     Type = "enum"
	TypeInt      Type = "integer"
	TypeList     Type = "list"
	TypeNumber   Type = "number"
	TypeObject   Type = "object"
	TypePath     Type = "path"
	TypeProfile  Type = "profile name"
	TypeString   Type = "string"
	TypeURL      Type = "url"
)

// Kind is a kind of values of type T. It parses the values that users type and lists the valid
// ones.
type Kind[T any] struct {
	name Type
	// takes describes the valid values. It follows "must be" in messages.
	takes string
	// values lists the valid values, nil if they cannot be listed.
	values []string
	// parse parses a text that a user has typed, without blanks around it. The error completes a
	// sentence about the key, such as "must be true or false".
	parse func(text string) (T, error)
	// schema returns the JSON Schema of the valid values. It is a function because every start
	// declares the settings, but few starts print a schema.
	schema func() *jsonschema.Schema
}

func (k Kind[T]) untyped() Kind[any] {
	return Kind[any]{k.name, k.takes, k.values, func(text string) (any, error) { return k.parse(text) }, k.schema}
}

// isText reports whether the values are strings in JSON.
func (k Kind[T]) isText() bool {
	return !slices.Contains([]Type{TypeBool, TypeInt, TypeNumber, TypeObject}, k.name)
}

func mustBe(takes, text string) error { return errors.New("must be " + takes + ", not " + quote(text)) }

// Bool returns the kind of the values true and false.
func Bool() Kind[bool] {
	const takes = "true or false"
	return Kind[bool]{
		name: TypeBool, takes: takes, values: []string{"true", "false"},
		parse: func(text string) (bool, error) {
			switch strings.ToLower(text) {
			case "true", "on", "yes", "1":
				return true, nil
			case "false", "off", "no", "0":
				return false, nil
			}
			return false, mustBe(takes, text)
		},
		schema: func() *jsonschema.Schema { return &jsonschema.Schema{Type: string(TypeBool)} },
	}
}

// Enum returns the kind with the given words as values. Words may be typed in any case and are
// stored as given (D-38). A registry sets the words of an Enum without words from its Choices.
func Enum(words ...string) Kind[string] {
	k := Kind[string]{name: TypeEnum, takes: "one of " + strings.Join(words, ", "), values: words}
	k.schema = func() *jsonschema.Schema {
		schema := &jsonschema.Schema{}
		for _, word := range words {
			schema.Enum = append(schema.Enum, word)
		}
		return schema
	}
	k.parse = func(text string) (string, error) {
		i := slices.IndexFunc(words, func(word string) bool { return strings.EqualFold(word, text) })
		if i < 0 {
			return "", errors.New(mustBe(k.takes, text).Error() + suggest.Question(text, words))
		}
		return words[i], nil
	}
	return k
}

// Duration returns the kind of durations from least to most. A number without a unit is in seconds.
func Duration(least, most time.Duration) Kind[time.Duration] {
	takes := "a time such as 90s or 5m, from " + textOf(least) + " to " + textOf(most)
	return Kind[time.Duration]{
		name: TypeDuration, takes: takes,
		parse: func(text string) (time.Duration, error) {
			if _, err := strconv.ParseFloat(text, 64); err == nil {
				text += "s"
			}
			v, err := time.ParseDuration(text)
			if err != nil || v < least || v > most {
				return 0, mustBe(takes, text)
			}
			return v, nil
		},
		schema: matches(spanPattern),
	}
}

// spanPattern matches a duration as users type it.
const spanPattern = `^[0-9]+(\.[0-9]+)?(h|m|s)?([0-9]+(\.[0-9]+)?(m|s))*$`

// matches returns a function that returns the schema of strings that match a pattern.
func matches(pattern string) func() *jsonschema.Schema {
	return func() *jsonschema.Schema { return &jsonschema.Schema{Type: "string", Pattern: pattern} }
}

// auto is the word for a duration that the program chooses itself.
const auto = "auto"

// DurationOrAuto returns the kind of durations that also accepts auto, which is stored as 0.
func DurationOrAuto(least, most time.Duration) Kind[time.Duration] {
	k := Duration(least, most)
	span := k.parse
	k.takes = auto + ", or " + k.takes
	k.schema = matches("^" + auto + "$|" + spanPattern)
	k.parse = func(text string) (time.Duration, error) {
		if strings.EqualFold(text, auto) {
			return 0, nil
		}
		v, err := span(text)
		if err != nil {
			return 0, mustBe(k.takes, text)
		}
		return v, nil
	}
	return k
}

// JSON is a JSON value in compact form.
type JSON string

// MarshalJSON implements json.Marshaler.
func (j JSON) MarshalJSON() ([]byte, error) { return []byte(j), nil }

// Object returns the kind of JSON objects without the given members.
func Object(without ...string) Kind[JSON] {
	const takes = `a JSON object such as {"service_tier":"flex"}`
	return Kind[JSON]{
		name: TypeObject, takes: takes,
		parse: func(text string) (JSON, error) {
			var members map[string]any
			if json.Unmarshal([]byte(text), &members) != nil || members == nil {
				return "", errors.New("must be " + takes)
			}
			for name := range members {
				if slices.ContainsFunc(without, func(other string) bool { return strings.EqualFold(name, other) }) {
					return "", errors.New("must not contain " + quote(name) + ", which agent sets itself")
				}
			}
			encoded, err := rawjson.Canonical(json.RawMessage(text))
			return JSON(encoded), err
		},
		schema: func() *jsonschema.Schema { return &jsonschema.Schema{Type: "object"} },
	}
}
