package settings_test

import (
	"encoding/json"
	"strings"
	"testing"

	"agent/internal/settings"
)

// A list shows no API key, whatever setting contains it. Requests contain the key.
func TestShown(t *testing.T) {
	t.Parallel()
	for key, c := range map[string]struct{ value, want string }{
		"header.X-Api-Key":    {"correct horse", "[key]"},
		"header.X-Auth-Token": {"Bearer abcdefgh12345678", "Bearer [key]"},
		"header.X-Gate":       {"gate=sk-abcdefghijklmnop0123", "[key]"},
		"header.X-Title":      {"my agent", "my agent"},
		"base-url":            {"https://host/v1?api-version=2&api_key=abc", "https://host/v1?api-version=2&api_key=[key]"},
		"web-search.url":      {"https://host/?q=%s&token=abcdefgh", "https://host/?q=%s&token=[key]"},
		"auth-command":        {"print --for llm", "print --for llm"},
		"notify-command":      {"curl -H 'Authorization: Bearer abcdefgh12345678'", "curl -H 'Authorization: Bearer [key]'"},
		"extra-body":          {`{"user_token":"abcdefgh1"}`, `{"user_token":[key]}`},
		"model":               {"sk-tools", "sk-tools"},
	} {
		s := newSettings()
		set(t, s, settings.LayerSession, key, c.value)
		resolved, err := s.Lookup(key)
		if err != nil {
			t.Fatal(err)
		}
		if got := resolved.DisplayValue(); got != c.want {
			t.Errorf("%s shows %q, want %q", key, got, c.want)
		}
		if got := resolved.Value.String(); got != c.value {
			t.Errorf("%s is %q", key, got)
		}
		encoded, err := json.Marshal(resolved)
		if err != nil || c.want != c.value && !strings.Contains(string(encoded), "[key]") {
			t.Errorf("%s as JSON: %s, %v", key, encoded, err)
		}
	}
}
