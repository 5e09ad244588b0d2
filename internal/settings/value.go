package settings

import "time"

// Value is the validated, canonical value of a setting, or unset.
type Value struct {
	// v has the type of the setting, nil when unset.
	v any
	// text is v as a user would type it.
	text string
}

// IsSet reports whether there is a value at all.
func (v Value) IsSet() bool { return v.v != nil }

// String returns the value as a user would type it, "" when unset.
func (v Value) String() string { return v.text }

// MarshalJSON implements json.Marshaler; unset is null, and a time is text, as a
// person would type it.
func (v Value) MarshalJSON() ([]byte, error) {
	if _, ok := v.v.(time.Duration); ok {
		return encode(v.text)
	}
	return encode(v.v)
}
