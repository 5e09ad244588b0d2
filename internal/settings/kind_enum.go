package settings

import (
	"errors"
	"slices"
	"strings"

	"agent/internal/nearest"

	"github.com/google/jsonschema-go/jsonschema"
)

// TypeEnum is the type of words from a list.
const TypeEnum Type = "enum"

// Enum is the kind of one of a list of words, typed in any case and kept as listed
// (D-38). Words that another room knows are left out and given by Choices.
func Enum(words ...string) Kind[string] { return enum(words) }

type enum []string

func (enum) Type() Type           { return TypeEnum }
func (k enum) takes() string      { return "one of " + strings.Join(k, ", ") }
func (k enum) values() []string   { return k }
func (enum) text(v string) string { return v }

func (k enum) parseText(text string) (string, error) {
	i := slices.IndexFunc(k, func(word string) bool { return strings.EqualFold(word, text) })
	if i < 0 {
		return "", errors.New("must be " + k.takes() + ", not " + quote(text) + nearest.Question(text, k))
	}
	return k[i], nil
}

func (k enum) parseJSON(decoded any) (string, error) {
	text, ok := decoded.(string)
	if !ok {
		return "", errOtherType
	}
	return k.parseText(strings.TrimSpace(text))
}

func (k enum) schema(schema *jsonschema.Schema) {
	for _, word := range k {
		schema.Enum = append(schema.Enum, word)
	}
}
