package settings

import (
	"math"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// Int returns the kind of integers in a range.
func Int(r Range) Kind[int] {
	return numeric(TypeInt, "a whole number", r, strconv.Atoi)
}

// Tokens returns the kind of token counts in a range. Users may write 32k or 1.5M.
func Tokens(r Range) Kind[int] { return numeric(TypeInt, "a whole number", r, parseTokens) }

// parseTokens works on the digits, because a float64 would round. ParseUint refuses everything else. A
// JSON number is exact up to 53 bits.
func parseTokens(text string) (int, error) {
	number := strings.TrimRight(text, "kKmM")
	zeros, known := map[string]int{"": 0, "k": 3, "K": 3, "m": 6, "M": 6}[text[len(number):]]
	whole, fraction, _ := strings.Cut(number, ".")
	fraction = strings.TrimRight(fraction, "0")
	if !known || whole == "" || len(fraction) > zeros {
		return 0, strconv.ErrSyntax
	}
	count, err := strconv.ParseUint(whole+fraction+strings.Repeat("0", zeros-len(fraction)), 10, 53)
	return int(count), err
}

// Number returns the kind of all numbers in a range.
func Number(r Range) Kind[float64] {
	return numeric(TypeNumber, "a number", r, func(text string) (float64, error) { return strconv.ParseFloat(text, 64) })
}

// numeric returns the kind of numbers in a range. parse parses a number.
func numeric[T int | float64](name Type, noun string, r Range, parse func(string) (T, error)) Kind[T] {
	takes := noun + " " + r.words
	return Kind[T]{
		name: name, takes: takes,
		parse: func(typed string) (T, error) {
			v, err := parse(typed)
			switch {
			case err != nil:
				return 0, mustBe(takes, typed)
			case !r.contains(float64(v)):
				return 0, mustBe(takes, textOf(v))
			}
			return v, nil
		},
		schema: func() *jsonschema.Schema { return r.schema(name) },
	}
}

// Range is a set of numbers.
type Range struct {
	// words describes the range in messages, such as "from 0 to 2".
	words string
	// low is the lower bound.
	low float64
	// openLow is set if low itself is not in the range.
	openLow bool
	// high is the upper bound, which is in the range. It is nil if there is none.
	high *float64
	// also is an additional value outside the bounds, such as -1 for no limit. It is nil if there
	// is none.
	also *float64
}

// AtLeast returns the range of the numbers from low on. words follow "a number" in messages.
func AtLeast(low float64, words string) Range { return Range{words: words, low: low} }

// UpTo returns the range of the numbers from 0 to high. words follow "a number" in messages.
func UpTo(high float64, words string) Range { return Range{words: words, high: &high} }

// ExcludingLow returns r without the lower bound itself.
func (r Range) ExcludingLow() Range {
	r.openLow = true
	return r
}

// Or returns r with an additional value.
func (r Range) Or(x float64) Range {
	r.also = &x
	return r
}

// contains reports whether x is in the range. NaN and the infinities are in no range.
func (r Range) contains(x float64) bool {
	switch {
	case math.IsNaN(x) || math.IsInf(x, 0):
		return false
	case r.also != nil && x == *r.also:
		return true
	case x < r.low, r.openLow && x == r.low:
		return false
	default:
		return r.high == nil || x <= *r.high
	}
}

func (r Range) schema(name Type) *jsonschema.Schema {
	bounds := &jsonschema.Schema{Minimum: &r.low, Maximum: r.high}
	if r.openLow {
		bounds.Minimum, bounds.ExclusiveMinimum = nil, &r.low
	}
	if r.also == nil {
		bounds.Type = string(name)
		return bounds
	}
	also := any(*r.also)
	return &jsonschema.Schema{Type: string(name), AnyOf: []*jsonschema.Schema{bounds, {Const: &also}}}
}
