package catalogue

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode"

	"agent/internal/llm/vendor"
	"agent/internal/settings"
)

func TestAll(t *testing.T) {
	t.Parallel()
	models := All()
	if len(models) < 1500 {
		t.Fatalf("%d models", len(models))
	}
	for _, m := range models {
		if m.Provider == "" || m.ID == "" || m.Window < 0 || m.MaxOutput < 0 || m.Prices != nil && m.Prices.Input < 0 {
			t.Errorf("%+v", m)
		}
	}
}

func TestAt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		provider, model, id string
	}{
		{"openai", "gpt-5.4", "gpt-5.4"},
		{"openai", "gpt-5.4-2026-03-05", "gpt-5.4"},
		{"anthropic", "claude-opus-4-7", "claude-opus-4-7"},
		{"openrouter", "anthropic/claude-opus-4.7", "anthropic/claude-opus-4.7"},
		{"openrouter", "openai/gpt-4o:extended", "openai/gpt-4o"},
		{"deepseek", "deepseek-v4-pro", "deepseek-v4-pro"},
		{"deepseek", "gpt-5.4", ""},
		{"", "gpt-5.4", ""},
		{"openai", "", ""},
		{"nobody", "gpt-5.4", ""},
	} {
		m, found := At(c.provider, c.model)
		if found != (c.id != "") || m.ID != c.id {
			t.Errorf("%s at %q: %q, %t", c.model, c.provider, m.ID, found)
		}
	}
	m, _ := At("anthropic", "claude-opus-4-7")
	if want := (settings.Prices{Input: 5, Output: 25, CacheRead: 0.5, CacheWrite: 6.25}); m.Prices == nil || *m.Prices != want || m.Window != 1_000_000 || !m.Images || !slices.Contains(m.Efforts, "max") {
		t.Errorf("%+v", m)
	}
}

// I7: the maker's number counts, else the smallest.
func TestWindow(t *testing.T) {
	t.Parallel()
	for model, want := range map[string]int{
		"deepseek-v4-pro":           1_000_000,
		"gpt-5.4":                   1_050_000,
		"gpt-5.4-2026-03-05":        1_050_000,
		"anthropic/claude-opus-4.7": 1_000_000,
		"kimi-k2.5":                 262_144,
		"grok-4.3":                  200_000,
		"MiniMax-M3":                1_000_000,
		"no-such-model":             0,
		"":                          0,
		"/":                         0,
	} {
		if got, _, _ := Window(model); got != want {
			t.Errorf("%s: %+v, want %d", model, got, want)
		}
	}
}

// Every model is found by its own name, in the order of All.
func TestNamed(t *testing.T) {
	t.Parallel()
	byName := map[string][]Model{}
	for _, m := range All() {
		if !isASCII(m.ID) {
			t.Errorf("%q: named compares lengths in bytes", m.ID)
		}
		name := vendor.BaseName(m.ID)
		byName[name] = append(byName[name], m)
	}
	for name, want := range byName {
		if got := modelsNamed(name); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r > unicode.MaxASCII })
}

func TestParse(t *testing.T) {
	t.Parallel()
	m, err := parse("p\tm\t100\t\t1\t2\t\t3\tri\tlow,high")
	if want := (settings.Prices{Input: 1, Output: 2, CacheRead: 1, CacheWrite: 3}); err != nil || m.Prices == nil || *m.Prices != want || m.Window != 100 || m.MaxOutput != 0 {
		t.Errorf("%+v, %v", m, err)
	}
	if m, err := parse("p\tm\t100\t\t1\t\t\t\t\t"); err != nil || m.Prices != nil {
		t.Errorf("without an output price: %+v, %v", m, err)
	}
	for _, line := range []string{"", "p\tm", "p\tm\tx\t\t\t\t\t\t\t"} {
		if _, err := parse(line); err == nil {
			t.Errorf("%q was read", line)
		}
	}
}
