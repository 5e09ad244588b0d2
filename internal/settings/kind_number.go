package settings

import (
	"errors"
	"strconv"

	"github.com/google/jsonschema-go/jsonschema"
)

// The types of numbers.
const (
	TypeInt    Type = "integer"
	TypeNumber Type = "number"
)

// Int is the kind of the whole numbers in a range.
func Int(r Range) Kind[int] { return integer{r} }

type integer struct{ Range }

func (integer) Type() Type        { return TypeInt }
func (k integer) takes() string   { return k.describe("a whole number") }
func (integer) values() []string  { return nil }
func (integer) text(v int) string { return strconv.Itoa(v) }

func (k integer) parseText(text string) (int, error) {
	n, err := strconv.Atoi(text)
	switch {
	case err != nil:
		return 0, errors.New("must be " + k.takes() + ", not " + quote(text))
	case !k.contains(float64(n)):
		return 0, errors.New("must be " + k.takes() + ", not " + quote(k.text(n)))
	}
	return n, nil
}

func (k integer) parseJSON(decoded any) (int, error) {
	x, ok := decoded.(float64)
	if !ok || x != float64(int(x)) || !k.contains(x) {
		return 0, errOtherType
	}
	return int(x), nil
}

func (k integer) schema(schema *jsonschema.Schema) {
	schema.Type = string(TypeInt)
	k.bound(schema)
}

// Number is the kind of all numbers in a range.
func Number(r Range) Kind[float64] { return number{r} }

type number struct{ Range }

func (number) Type() Type            { return TypeNumber }
func (k number) takes() string       { return k.describe("a number") }
func (number) values() []string      { return nil }
func (number) text(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

func (k number) parseText(text string) (float64, error) {
	x, err := strconv.ParseFloat(text, 64)
	switch {
	case err != nil:
		return 0, errors.New("must be " + k.takes() + ", not " + quote(text))
	case !k.contains(x):
		return 0, errors.New("must be " + k.takes() + ", not " + quote(k.text(x)))
	}
	return x, nil
}

func (k number) parseJSON(decoded any) (float64, error) {
	x, ok := decoded.(float64)
	if !ok || !k.contains(x) {
		return 0, errOtherType
	}
	return x, nil
}

func (k number) schema(schema *jsonschema.Schema) {
	schema.Type = string(TypeNumber)
	k.bound(schema)
}
