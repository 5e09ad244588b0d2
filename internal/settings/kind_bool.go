package settings

import (
	"errors"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// TypeBool is the type of true and false.
const TypeBool Type = "boolean"

// Bool is the kind of true and false.
func Bool() Kind[bool] { return boolean{} }

type boolean struct{}

func (boolean) Type() Type         { return TypeBool }
func (boolean) takes() string      { return "true or false" }
func (boolean) values() []string   { return []string{"true", "false"} }
func (boolean) text(v bool) string { return strconv.FormatBool(v) }

func (boolean) parseText(text string) (bool, error) {
	switch strings.ToLower(text) {
	case "true", "on", "yes", "1":
		return true, nil
	case "false", "off", "no", "0":
		return false, nil
	}
	return false, errors.New("must be true or false, not " + quote(text))
}

func (boolean) parseJSON(decoded any) (bool, error) {
	v, ok := decoded.(bool)
	if !ok {
		return false, errOtherType
	}
	return v, nil
}

func (boolean) schema(schema *jsonschema.Schema) { schema.Type = string(TypeBool) }
