package settings

import (
	"math"
	"slices"
)

// Type is the kind of value a setting takes, as users read it.
type Type string

// The types of setting.
const (
	TypeString  Type = "string"
	TypeURL     Type = "url"
	TypePath    Type = "path"
	TypeInt     Type = "integer"
	TypeNumber  Type = "number"
	TypeBool    Type = "boolean"
	TypeEnum    Type = "enum"
	TypeProfile Type = "profile name"
)

// Category groups settings where they are listed.
type Category string

// The categories, in the order they are shown.
const (
	CategoryModel Category = "model"
	// CategoryBehaviour is the category the requirements name (REQ-HD-009.1).
	CategoryBehaviour Category = "cli-behavior"
	CategoryTools     Category = "tools"
	CategoryPrice     Category = "price"
)

// Spec declares one setting completely (D-38). Specs come from a Registry and
// must not be changed.
type Spec struct {
	// Key is the canonical name; only it is ever stored.
	Key string
	// Aliases are other names users may type.
	Aliases []string
	Type    Type
	// Default is the built-in value: a string, int, float64 or bool. Nil means
	// unset; then Unset says what happens.
	Default any
	// Unset says in a few words what an unset value means.
	Unset string
	// Enum lists the canonical values of a TypeEnum.
	Enum []string
	// Range bounds numbers.
	Range Range
	// Help is one line.
	Help     string
	Category Category
	// PersistToProfile: saving a profile keeps the value.
	PersistToProfile bool
	// Environment names the variable that sets the value, if any.
	Environment string
}

// Range is a set of numbers. The zero Range holds every number.
type Range struct {
	// Text says the range, for example "0 < x ≤ 1".
	Text string
	// Min and Max are the bounds, inclusive unless OpenMin. Nil is unbounded.
	Min, Max *float64
	OpenMin  bool
	// Also is one more value outside the bounds, for "no limit".
	Also *float64
}

// contains reports whether x is in the range. NaN and the infinities never are.
func (r Range) contains(x float64) bool {
	switch {
	case math.IsNaN(x) || math.IsInf(x, 0):
		return false
	case r.Also != nil && x == *r.Also:
		return true
	case r.Min != nil && (x < *r.Min || r.OpenMin && x == *r.Min):
		return false
	default:
		return r.Max == nil || x <= *r.Max
	}
}

// atLeast is the range of numbers from minimum up.
func atLeast(minimum float64, text string) Range { return Range{Text: text, Min: &minimum} }

// between is the closed range [minimum, maximum].
func between(minimum, maximum float64, text string) Range {
	return Range{Text: text, Min: &minimum, Max: &maximum}
}

// withoutMin is r without its lower bound itself.
func (r Range) withoutMin() Range {
	r.OpenMin = true
	return r
}

// orElse is r and one value more.
func (r Range) orElse(x float64) Range {
	r.Also = &x
	return r
}

// Values returns the values a user can choose from: those of an enum, or true
// and false; nil when they cannot be listed.
func (s *Spec) Values() []string {
	switch s.Type {
	case TypeEnum:
		return slices.Clone(s.Enum)
	case TypeBool:
		return []string{"true", "false"}
	default:
		return nil
	}
}
