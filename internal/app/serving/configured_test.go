package serving

import "testing"

// A variable that holds a key of a provider is known by its name, and by the key in its value.
func TestKeysInVariables(t *testing.T) {
	t.Parallel()
	environ := map[string]string{"OPENAI_API_KEY": "sk-0123456789", "ANTHROPIC_API_KEY": "x"}
	p := Place{Lookup: func(name string) (string, bool) { value, set := environ[name]; return value, set }}
	for name, tt := range map[string]struct {
		value string
		want  bool
	}{
		"OPENAI_API_KEY":    {"sk-0123456789", true},
		"MISTRAL_API_KEY":   {"", true},
		"ALIAS":             {"sk-0123456789", true},
		"HEADER":            {"Bearer sk-0123456789", true},
		"ADDRESS":           {"https://u:sk-0123456789@example.com/", true},
		"SHORT_ALIAS":       {"x", true},
		"OTHER":             {"ghp_0123456789", false},
		"HOLDS_A_SHORT_ONE": {"linux", false},
		"EMPTY":             {"", false},
	} {
		if got := p.holdsKey(name, tt.value); got != tt.want {
			t.Errorf("%s=%s: %v", name, tt.value, got)
		}
	}
}
