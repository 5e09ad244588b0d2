package settings

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"agent/internal/rawjson"

	"github.com/google/jsonschema-go/jsonschema"
)

// TypeObject is the type of JSON objects.
const TypeObject Type = "object"

// JSON is a value as it is sent, in compact form.
type JSON string

// MarshalJSON implements json.Marshaler.
func (j JSON) MarshalJSON() ([]byte, error) { return []byte(j), nil }

// Object is the kind of JSON objects without the members named.
func Object(without ...string) Kind[JSON] { return object(without) }

type object []string

func (object) Type() Type         { return TypeObject }
func (object) takes() string      { return `a JSON object such as {"service_tier":"flex"}` }
func (object) values() []string   { return nil }
func (object) text(v JSON) string { return string(v) }

func (k object) parseText(text string) (JSON, error) {
	var decoded any
	if json.Unmarshal([]byte(text), &decoded) != nil {
		return "", errors.New("must be " + k.takes())
	}
	value, err := k.parseJSON(decoded)
	if errors.Is(err, errOtherType) {
		err = errors.New("must be " + k.takes())
	}
	return value, err
}

func (k object) parseJSON(decoded any) (JSON, error) {
	members, ok := decoded.(map[string]any)
	if !ok {
		return "", errOtherType
	}
	for name := range members {
		if slices.ContainsFunc(k, func(other string) bool { return strings.EqualFold(name, other) }) {
			return "", errors.New("must not hold " + quote(name) + ", which belongs to the program")
		}
	}
	encoded, err := rawjson.Marshal(members)
	return JSON(encoded), err
}

func (object) schema(schema *jsonschema.Schema) { schema.Type = "object" }
