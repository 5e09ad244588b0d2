package settings

import (
	"strings"

	"agent/internal/base/secret"
)

// Shown returns the value as lists and messages show it: with a placeholder for each key or password
// in it.
func (r Resolved) Shown() string { return r.Spec.Show(r.Value) }

// Show returns a value of the setting as lists and messages show it: with a placeholder for each key
// or password in it. Whoever shows a value uses this form; the value itself is for requests alone.
func (s *Spec) Show(v Value) string {
	text := v.String()
	if name, isHeader := strings.CutPrefix(s.Key, headerPrefix); isHeader {
		if key := secret.OfHeader(name, text); key != "" {
			return strings.Replace(text, key, secret.Placeholder, 1)
		}
	}
	if s.Type() == TypeURL {
		text = withoutParameters(text)
	}
	return secret.Without(text)
}

// withoutParameters returns an address with a placeholder for each parameter that has the name of a
// secret.
func withoutParameters(address string) string {
	before, query, found := strings.Cut(address, "?")
	if !found {
		return address
	}
	parameters := strings.Split(query, "&")
	for i, parameter := range parameters {
		if name, _, assigned := strings.Cut(parameter, "="); assigned && secret.Name(name) {
			parameters[i] = name + "=" + secret.Placeholder
		}
	}
	return before + "?" + strings.Join(parameters, "&")
}
