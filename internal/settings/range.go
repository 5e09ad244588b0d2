package settings

import (
	"math"

	"github.com/google/jsonschema-go/jsonschema"
)

// Range is a set of numbers. The zero Range holds every number.
type Range struct {
	// words is the range in words, such as "from 0 to 2".
	words string
	// low and high are the bounds, inclusive unless openLow. Nil is unbounded.
	low, high *float64
	openLow   bool
	// also is one more value outside the bounds, for "no limit".
	also *float64
}

// AtLeast is the range of numbers from low up. The words follow "a number".
func AtLeast(low float64, words string) Range { return Range{words: words, low: &low} }

// Between is the closed range [low, high]. The words follow "a number".
func Between(low, high float64, words string) Range {
	return Range{words: words, low: &low, high: &high}
}

// WithoutLow is r without its lower bound itself.
func (r Range) WithoutLow() Range {
	r.openLow = true
	return r
}

// Or is r and one value more.
func (r Range) Or(x float64) Range {
	r.also = &x
	return r
}

// contains reports whether x is in the range. NaN and the infinities never are.
func (r Range) contains(x float64) bool {
	switch {
	case math.IsNaN(x) || math.IsInf(x, 0):
		return false
	case r.also != nil && x == *r.also:
		return true
	case r.low != nil && (x < *r.low || r.openLow && x == *r.low):
		return false
	default:
		return r.high == nil || x <= *r.high
	}
}

// describe says what the numbers of the range are.
func (r Range) describe(noun string) string {
	if r.words == "" {
		return noun
	}
	return noun + " " + r.words
}

// bound adds the range to the JSON Schema of a number.
func (r Range) bound(schema *jsonschema.Schema) {
	bounds := schema
	if r.also != nil {
		also := any(*r.also)
		bounds = &jsonschema.Schema{}
		schema.AnyOf = []*jsonschema.Schema{bounds, {Const: &also}}
	}
	bounds.Minimum, bounds.Maximum = r.low, r.high
	if r.openLow {
		bounds.Minimum, bounds.ExclusiveMinimum = nil, r.low
	}
}
