package settings

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"agent/internal/base/rawjson"
)

// Value is the validated, canonical value of a setting, or unset.
type Value struct {
	// v has the type of the setting. It is nil if the value is unset.
	v any
}

// IsSet reports whether there is a value.
func (v Value) IsSet() bool { return v.v != nil }

// String returns the value in the form that users type, or "" if it is unset.
func (v Value) String() string { return textOf(v.v) }

// textOf returns a value in the form that users type.
func textOf(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case time.Duration:
		if v == 0 {
			return auto
		}
		text := v.String() // such as 5m0s; remove trailing units that are zero
		if strings.HasSuffix(text, "m0s") {
			text = strings.TrimSuffix(text, "0s")
		}
		if strings.HasSuffix(text, "h0m") {
			text = strings.TrimSuffix(text, "0m")
		}
		return text
	}
	return fmt.Sprint(v)
}

// MarshalJSON implements json.Marshaler. An unset value becomes null. A duration becomes a string
// in the form that users type.
func (v Value) MarshalJSON() ([]byte, error) {
	if _, ok := v.v.(time.Duration); ok {
		return rawjson.Marshal(v.String())
	}
	return rawjson.Marshal(v.v)
}

// ResolvedSetting is a setting with its value.
type ResolvedSetting struct {
	Spec   *Spec
	Value  Value
	Source Source
}

// resolvedJSON is the JSON form of a Resolved for other programs.
type resolvedJSON struct {
	Key      string   `json:"key"`
	Aliases  []string `json:"aliases,omitempty"`
	Type     Type     `json:"type"`
	Value    any      `json:"value"`
	Source   string   `json:"source"`
	Default  Value    `json:"default"`
	Unset    string   `json:"unset,omitempty"`
	Takes    string   `json:"takes"`
	Values   []string `json:"values,omitempty"`
	Category Category `json:"category"`
	// Kept is set if a choice on the screen applies to later sessions.
	Kept bool   `json:"kept,omitempty"`
	Help string `json:"help"`
}

// MarshalJSON implements json.Marshaler. An unset value or default becomes null. A value with a
// secret becomes the result of DisplayValue.
func (r ResolvedSetting) MarshalJSON() ([]byte, error) {
	s, value := r.Spec, any(r.Value)
	if shown := r.DisplayValue(); shown != r.Value.String() {
		value = shown
	}
	return rawjson.Marshal(resolvedJSON{
		s.Key, s.Aliases, s.Type(), value, r.Source.String(), s.Default(), s.Unset, s.ValidValuesText(), s.Values(), s.Category, s.Person, s.Help,
	})
}
