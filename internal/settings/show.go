package settings

import (
	"strings"

	"agent/internal/base/secret"
)

// DisplayValue returns the value for lists and messages, with a placeholder for each API key or password
// in it.
func (r ResolvedSetting) DisplayValue() string { return r.Spec.DisplayValue(r.Value) }

// DisplayValue returns a value of the setting for lists and messages, with a placeholder for each API key
// or password in it. All output must use this form. Only requests use the value itself.
func (s *Spec) DisplayValue(v Value) string {
	text := v.String()
	if name, isHeader := strings.CutPrefix(s.Key, headerPrefix); isHeader {
		if key := secret.FromHeader(name, text); key != "" {
			return strings.Replace(text, key, secret.Placeholder, 1)
		}
	}
	if s.Type() == TypeURL {
		text = withoutParameters(text)
	}
	return secret.Redact(text)
}

// withoutParameters returns an address with a placeholder for the value of each parameter that has
// the name of a secret.
func withoutParameters(address string) string {
	before, query, found := strings.Cut(address, "?")
	if !found {
		return address
	}
	parameters := strings.Split(query, "&")
	for i, parameter := range parameters {
		if name, _, assigned := strings.Cut(parameter, "="); assigned && secret.IsSecretName(name) {
			parameters[i] = name + "=" + secret.Placeholder
		}
	}
	return before + "?" + strings.Join(parameters, "&")
}
