package catalogue

import (
	"math"
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
		{"openai", "gpt-5.4-20260305", "gpt-5.4"},
		{"openai", "gpt-5.4-latest", "gpt-5.4"},
		{"openai", "gpt-5.4@default", "gpt-5.4"},
		{"openai", "gpt-5.4.1", ""},
		{"openai", "gpt-5.4-1", ""},
		{"openai", "gpt-5.4-flash", ""},
		{"openai", "gpt-6.3-sol", ""},
		{"openai", "gpt-6.2-sol-2", ""},
		{"anthropic", "claude-opus-5-6", ""},
		{"anthropic", "claude-opus-5-5-20261101", "claude-opus-5-5"},
		{"anthropic", "claude-opus-4-1-0", ""},
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
		m, found := Lookup(c.provider, c.model)
		if found != (c.id != "") || m.ID != c.id {
			t.Errorf("%s at %q: %q, %t", c.model, c.provider, m.ID, found)
		}
	}
	m, _ := Lookup("anthropic", "claude-opus-4-7")
	if want := (settings.Prices{Input: 5, Output: 25, CacheRead: 0.5, CacheWrite: 6.25}); m.Prices == nil || !reflect.DeepEqual(*m.Prices, want) || m.Window != 1_000_000 || !m.Images || !slices.Contains(m.Efforts, "max") {
		t.Errorf("%+v", m)
	}
}

// The context window of the maker counts. Without it, the smallest one counts.
func TestWindow(t *testing.T) {
	t.Parallel()
	for model, want := range map[string]int{
		"deepseek-v4-pro":           1_000_000,
		"gpt-5.4":                   1_050_000,
		"gpt-5.4-2026-03-05":        1_050_000,
		"anthropic/claude-opus-4.7": 1_000_000,
		"kimi-k2.5":                 262_144,
		"grok-4.3":                  1_000_000,
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

// modelsNamed finds every model by its name, in the order of All.
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

// currentNames are the models that the vendors offered in November 2026, with the prices of input
// and cache reads.
var currentNames = []struct {
	provider, model string
	input, read     float64
}{
	{"openai", "gpt-6.2-sol", 2, 0.1},
	{"openai", "gpt-6.2-astra", 8, 0.4},
	{"openai", "gpt-6.1-sol", 2, 0.1},
	{"openai", "gpt-6.1-terra", 1, 0.05},
	{"openai", "gpt-6-sol", 2, 0.2},
	{"openai", "gpt-6-luna", 0.1, 0.01},
	{"openai", "gpt-6-astra", 10, 1},
	{"openai", "gpt-6-cyber", 20, 2},
	{"openai", "gpt-5.6-sol", 4, 0.4},
	{"openai", "gpt-5.6-terra", 2, 0.2},
	{"openai", "gpt-5.6-luna", 0.2, 0.02},
	{"openai", "gpt-5.6-cyber", 12.5, 1.25},
	{"openai", "gpt-5.5", 5, 0.5},
	{"openai", "gpt-5.4", 2.5, 0.25},
	{"openai", "gpt-5.2", 1.75, 0.175},
	{"openai", "gpt-5.1", 1.25, 0.125},
	{"openai", "gpt-5", 1.25, 0.125},
	{"openai", "gpt-5-mini", 0.25, 0.025},
	{"openai", "gpt-5-nano", 0.05, 0.005},
	{"openai", "gpt-4.1", 2, 0.5},
	{"openai", "o3", 2, 0.5},
	{"chatgpt", "gpt-6.2-sol", 0, 0},
	{"anthropic", "claude-opus-5-5", 4, 0.2},
	{"anthropic", "claude-sonnet-5-5", 2, 0.1},
	{"anthropic", "claude-haiku-5-5", 0.1, 0.01},
	{"anthropic", "claude-fable-5-2", 8, 0.2},
	{"anthropic", "claude-fable-5-1", 10, 0.25},
	{"anthropic", "claude-fable-5", 10, 1},
	{"anthropic", "claude-opus-5", 5, 0.5},
	{"anthropic", "claude-sonnet-5", 2, 0.2},
	{"anthropic", "claude-opus-4-8", 5, 0.5},
	{"anthropic", "claude-opus-4-7", 5, 0.5},
	{"anthropic", "claude-opus-4-6", 5, 0.5},
	{"anthropic", "claude-sonnet-4-6", 3, 0.3},
	{"anthropic", "claude-haiku-4-5", 1, 0.1},
	{"anthropic", "claude-sonnet-4-5-20250929", 3, 0.3},
	{"anthropic", "claude-opus-4-5-20251101", 5, 0.5},
	{"gemini", "gemini-4-argon", 2, 0.1},
	{"gemini", "gemini-4-carbon", 2, 0.1},
	{"gemini", "gemini-4-hydrogen", 1.5, 0.075},
	{"gemini", "gemini-4-neon", 3, 0.15},
	{"gemini", "gemini-3.8-flash", 0.75, 0.075},
	{"gemini", "gemini-3.7-flash", 0.75, 0.075},
	{"gemini", "gemini-3.1-pro-preview", 2, 0.2},
	{"gemini", "gemini-2.5-pro", 1.25, 0.125},
	{"xai", "grok-4.7", 2, 0.5},
	{"xai", "grok-4.6", 2, 0.5},
	{"xai", "grok-4.5", 2, 0.3},
	{"xai", "grok-4.3", 1.25, 0.2},
	{"deepseek", "deepseek-flash", 0.3, 0.006},
	{"deepseek", "deepseek-v4-pro", 1.32, 0.044},
	// These models are not in the catalog and must not have the price of another model.
	{"deepseek", "deepseek-v4.1-pro", 0, 0},
	{"moonshot", "kimi-k3.2", 0, 0},
	{"zai", "glm-5.4-flash", 0, 0},
	{"openai", "gpt-6.3", 0, 0},
	{"anthropic", "claude-opus-5-6", 0, 0},
	{"anthropic", "claude-fable-5-3-20270101", 0, 0},
	{"gemini", "gemini-4.1-argon", 0, 0},
	{"xai", "grok-4.8", 0, 0},
	{"minimax", "MiniMax-M3.5", 0, 0},
	{"openai", "gpt-6.2-sol-mini", 0, 0},
}

// No current model has another model's price.
func TestCurrentNames(t *testing.T) {
	t.Parallel()
	if len(currentNames) < 60 {
		t.Errorf("%d names", len(currentNames))
	}
	for _, c := range currentNames {
		m, found := Lookup(c.provider, c.model)
		switch {
		case found != (c.input > 0):
			t.Errorf("%s %s: found %t", c.provider, c.model, found)
		case found && (m.Prices == nil || m.Prices.Input != c.input || m.Prices.CacheRead != c.read):
			t.Errorf("%s %s: %+v", c.provider, c.model, m.Prices)
		}
	}
}

// Price steps of a model change the price of the whole request.
func TestSteps(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		provider, model         string
		prompt, cached, written int
		want                    float64 // computed by hand, with 1,000 output tokens
	}{
		{"openai", "gpt-6.2-sol", 272_000, 200_000, 72_000, 0.2*0.1 + 0.072*2.5 + 0.001*10},
		{"openai", "gpt-6.2-sol", 272_001, 200_000, 72_001, 0.2*0.2 + 0.072001*5 + 0.001*15},
		{"openai", "gpt-5.5", 272_000, 0, 0, 0.272*5 + 0.001*30},
		{"openai", "gpt-5.5", 273_000, 0, 0, 0.273*10 + 0.001*45},
		{"gemini", "gemini-3.1-pro-preview", 200_000, 150_000, 0, 0.15*0.2 + 0.05*2 + 0.001*12},
		{"gemini", "gemini-3.1-pro-preview", 201_000, 150_000, 0, 0.15*0.4 + 0.051*4 + 0.001*18},
		{"anthropic", "claude-haiku-5-5", 100_000, 90_000, 10_000, 0.09*0.01 + 0.01*0.125 + 0.001*0.5},
		{"anthropic", "claude-haiku-5-5", 100_001, 90_000, 10_001, 0.09*0.05 + 0.010001*0.625 + 0.001*2.5},
		{"vercel", "openai/gpt-5.5", 300_000, 0, 0, 0.3*10 + 0.001*45},
	} {
		m, _ := Lookup(c.provider, c.model)
		if got := m.Prices.Cost(c.prompt, c.cached, c.written, 1000); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s with %d tokens: $%.9f, want $%.9f", c.model, c.prompt, got, c.want)
		}
	}
}

// The values for bound reasoning in the catalog agree with the table of vendors.
func TestBoundAgreesWithTheVendors(t *testing.T) {
	t.Parallel()
	for _, m := range All() {
		if want := vendor.BoundReasoningOf(m.ID); m.Bound != want && (m.Bound != "" || want != vendor.BoundNone) {
			t.Errorf("%s %s: %q, want %q", m.Provider, m.ID, m.Bound, want)
		}
	}
}

// CleanList removes contradictory lines of a downloaded catalog, and reports the reason for each.
func TestCheck(t *testing.T) {
	t.Parallel()
	good := "p\tm\t100\t\t1\t2\t0.1\t1.25\tr\tlow\t2000:2/3/0.2/2.5\tprefix"
	bad := map[string]string{
		"p\ta\t100\t\t1\t2\t1.5\t3\t\t\t\t":                      "cache reads cost",
		"p\tb\t100\t\t-1\t2\t\t\t\t\t\t":                         "invalid number",
		"p\tc\t100\t\t1\t2\t\t\t\t\t999:1/1/1/1\t":               "use at least 1000",
		"p\td\t100\t\t1\t2\t\t\t\t\t2000:1/1/2/1\t":              "cache read",
		"p\te\t100\t\t1\t2\t\t\t\t\t3000:1/1/1/1;2000:1/1/1/1\t": "must come before",
		"p\tf\t100\t\t1\t2\t\t\t\t\t\tglued":                     "unknown reasoning-bound",
		"p\tg\tNaN\t\t1\t2\t\t\t\t\t\t":                          "invalid number",
		"p\th\x1b\t1\t\t1\t2\t\t\t\t\t\t":                        "invalid model",
		"p\ti":                                                   "columns",
	}
	text := "#\t2026-12-01\n" + good + "\n"
	for line := range bad {
		text += line + "\n"
	}
	kept, dropped, _, err := CleanList(text)
	if want := "#\t2026-12-01\n" + good + "\n"; err != nil || kept != want {
		t.Errorf("%q, %v", kept, err)
	}
	if len(dropped) != len(bad) {
		t.Errorf("%d dropped, want %d: %q", len(dropped), len(bad), dropped)
	}
	for _, why := range bad {
		if !slices.ContainsFunc(dropped, func(d string) bool { return strings.Contains(d, why) }) {
			t.Errorf("%q is named by none of %q", why, dropped)
		}
	}
	if _, _, _, err := CleanList("<html>"); err == nil {
		t.Error("a page was taken for a list")
	}
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r > unicode.MaxASCII })
}

func TestParse(t *testing.T) {
	t.Parallel()
	m, err := parse("p\tm\t100\t\t1\t2\t\t3\tri\tlow,high\t\t")
	if want := (settings.Prices{Input: 1, Output: 2, CacheRead: 1, CacheWrite: 3}); err != nil || m.Prices == nil || !reflect.DeepEqual(*m.Prices, want) || m.Window != 100 || m.MaxOutput != 0 {
		t.Errorf("%+v, %v", m, err)
	}
	if m, err := parse("p\tm\t100\t\t1\t\t\t\t\t\t\t"); err != nil || m.Prices != nil {
		t.Errorf("without an output price: %+v, %v", m, err)
	}
	for _, line := range []string{"", "p\tm", "p\tm\tx\t\t\t\t\t\t\t\t\t"} {
		if _, err := parse(line); err == nil {
			t.Errorf("%q was read", line)
		}
	}
}
