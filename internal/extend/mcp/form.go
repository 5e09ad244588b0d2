package mcp

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// Field is a field of a form that a server sends to the user.
type Field struct {
	Name, Title, Description string
	// Type is string, number, integer, boolean, or list. In a list, the user may choose several
	// Options.
	Type     string
	Required bool
	// Options lists the values from which the user chooses.
	Options []Option
	// Default is the default value as JSON, empty if there is none.
	Default []byte
}

// Option is a value that the user may choose. The user sees Title, or Value if Title is empty.
type Option struct{ Value, Title string }

// fieldsOf returns the fields of a form, required fields first, sorted by name. It returns an error
// if a field requests a secret or has a type that is not supported.
func fieldsOf(schema *jsonschema.Schema) ([]Field, error) {
	var fields []Field
	for name, property := range schema.Properties {
		f, err := fieldOf(name, property)
		if err != nil {
			return nil, err
		}
		f.Required = slices.Contains(schema.Required, name)
		fields = append(fields, f)
	}
	slices.SortFunc(fields, func(a, b Field) int {
		if a.Required != b.Required {
			if a.Required {
				return -1
			}
			return 1
		}
		return strings.Compare(a.Name, b.Name)
	})
	return fields, nil
}

func fieldOf(name string, p *jsonschema.Schema) (Field, error) {
	f := Field{Name: name, Title: p.Title, Description: p.Description, Type: p.Type, Default: p.Default}
	if isSecret(name) || isSecret(p.Title) || p.Format == "password" {
		return f, fmt.Errorf("the field %q asks for a secret", name)
	}
	choices := p
	switch p.Type {
	case "array":
		if f.Type = "list"; p.Items == nil {
			return f, fmt.Errorf("the field %q is a list without a type", name)
		}
		choices = p.Items
	case "string", "number", "integer", "boolean":
	default:
		return f, fmt.Errorf("the field %q has the unsupported type %q", name, p.Type)
	}
	titles, _ := p.Extra["enumNames"].([]any)
	for i, value := range choices.Enum {
		option := Option{Value: fmt.Sprint(value), Title: fmt.Sprint(value)}
		if i < len(titles) {
			option.Title = fmt.Sprint(titles[i])
		}
		f.Options = append(f.Options, option)
	}
	for _, one := range slices.Concat(choices.OneOf, choices.AnyOf) {
		if one.Const != nil {
			f.Options = append(f.Options, Option{Value: fmt.Sprint(*one.Const), Title: one.Title})
		}
	}
	return f, nil
}

// isSecret reports whether a field with this name requests a secret. Users should never type a
// secret into a form of a server.
func isSecret(name string) bool {
	name = strings.ToLower(strings.NewReplacer("-", "", "_", "", " ", "", ".", "").Replace(name))
	for _, word := range []string{"password", "passwd", "passphrase", "secret", "token", "apikey", "accesskey", "privatekey", "credential", "cardnumber", "creditcard", "cvv", "cvc", "pincode", "onetimecode", "otp"} {
		if strings.Contains(name, word) {
			return true
		}
	}
	return name == "pin" || name == "pwd" || name == "key"
}
