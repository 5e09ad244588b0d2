package catalogue

import (
	"fmt"
	"path"
	"reflect"
	"strings"
	"testing"

	"agent/internal/settings"
)

// cachePrices are the prices of a line for cache reads and cache writes. nil stands for an unknown
// price.
type cachePrices struct{ read, write *float64 }

// exchanged swaps the two prices.
func exchanged(p cachePrices) cachePrices { return cachePrices{p.write, p.read} }

// readWritten uses the write price as the read price. Writes then have no separate price.
func readWritten(p cachePrices) cachePrices { return cachePrices{read: p.write} }

// writeRead uses the read price as the write price. The read price is then unknown.
func writeRead(p cachePrices) cachePrices { return cachePrices{write: p.read} }

// readOnly removes a write price that is really an hourly price of storage.
func readOnly(p cachePrices) cachePrices { return cachePrices{read: p.read} }

// neither removes both prices.
func neither(cachePrices) cachePrices { return cachePrices{} }

// corrections repair lines of the source with impossible cache prices. They apply to such lines
// only, so that a line that the source repairs stays unchanged.
var corrections = []struct {
	provider, models, why string
	correct               func(cachePrices) cachePrices
}{
	{"gemini", "*", "the price of output stands for reading, that of reading for writing", readWritten},
	{"minimax", "*", "reading and writing are exchanged", exchanged},
	{"minimax-china", "*", "reading and writing are exchanged", exchanged},
	{"opencode-zen", "*", "reading and writing are exchanged", exchanged},
	{"openrouter", "qwen/*", "the price of writing, 1.25 times the input, stands for reading", writeRead},
	{"openrouter", "google/*", "the price of writing is one of keeping for some minutes", readOnly},
	{"qiniucloud", "*", "the prices of output and input stand for reading and writing", neither},
	{"qiniucloud", "*/*", "the prices of output and input stand for reading and writing", neither},
}

// settled returns the cache prices of a line after corrections. It returns an error if they are
// impossible and no correction applies.
func settled(provider, id string, input *float64, p cachePrices) (cachePrices, error) {
	fault := wrong(input, p)
	if fault == "" {
		return p, nil
	}
	for _, c := range corrections {
		if match, err := path.Match(c.models, id); c.provider != provider || err != nil || !match {
			continue
		}
		if corrected := c.correct(p); wrong(input, corrected) == "" {
			return corrected, nil
		}
	}
	return p, fmt.Errorf("%s %s: %s; find out what is right and add it to corrections", provider, id, fault)
}

// wrong returns the reason why the cache prices of a line are impossible, or "".
func wrong(input *float64, p cachePrices) string {
	switch {
	case p.read == nil:
		return ""
	case input != nil && *p.read > *input:
		return fmt.Sprintf("reading from the cache costs %g, fresh input %g", *p.read, *input)
	case p.write != nil && *p.write > 0 && *p.read > *p.write:
		return fmt.Sprintf("reading from the cache costs %g, writing to it %g", *p.read, *p.write)
	}
	return ""
}

// In every line, the cache read price is at most the input price, and at most the write price if
// there is one. The test reads the packed lines, because parse would remove a wrong price.
func TestEveryLineHasPricesThatCanBe(t *testing.T) {
	t.Parallel()
	lines := 0
	for line := range strings.Lines(current().lines) {
		lines++
		cells := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if fault := wrong(number(t, cells[4]), cachePrices{number(t, cells[6]), number(t, cells[7])}); fault != "" {
			t.Errorf("%s %s: %s", cells[0], cells[1], fault)
		}
	}
	if lines < 1500 {
		t.Errorf("%d lines", lines)
	}
	for _, m := range All() {
		if p := m.Prices; p != nil && p.CacheRead > p.Input {
			t.Errorf("%s %s: %+v", m.Provider, m.ID, *p)
		}
	}
}

// TestCorrectedPrices compares lines with the prices that the vendors publish.
func TestCorrectedPrices(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		provider, model string
		want            settings.Prices
	}{
		{"gemini", "gemini-3.7-flash", settings.Prices{Input: 0.75, Output: 3.75, CacheRead: 0.075, CacheWrite: 0.75}},
		{"minimax", "MiniMax-M2.5", settings.Prices{Input: 0.3, Output: 1.2, CacheRead: 0.03, CacheWrite: 0.375}},
		{"opencode-zen", "claude-opus-4-8", settings.Prices{Input: 5, Output: 25, CacheRead: 0.5, CacheWrite: 6.25}},
		{"openrouter", "qwen/qwen3.6-plus", settings.Prices{Input: 0.325, Output: 1.95, CacheRead: 0.325, CacheWrite: 0.40625}},
		{"openrouter", "google/gemini-3.7-flash", settings.Prices{Input: 0.375, Output: 1.875, CacheRead: 0.0375, CacheWrite: 0.375}},
		{"qiniucloud", "z-ai/glm-4.6", settings.Prices{Input: 1, Output: 1.75, CacheRead: 1, CacheWrite: 1}},
	} {
		if m, found := Lookup(c.provider, c.model); !found || m.Prices == nil || !reflect.DeepEqual(*m.Prices, c.want) {
			t.Errorf("%s %s: %+v, want %+v", c.provider, c.model, m.Prices, c.want)
		}
	}
}

// One request to this model: 950 input tokens with 855 from the cache, and 120 output tokens.
func TestCostOfACachedRequest(t *testing.T) {
	t.Parallel()
	m, _ := Lookup("gemini", "gemini-3.7-flash")
	if cost := m.Prices.Cost(950, 855, 0, 120); cost < 0.00058 || cost > 0.00059 {
		t.Errorf("$%.6f", cost)
	}
}

// Packing stops at a line with impossible prices that no correction repairs. It does not change a
// valid line.
func TestPackingStopsAtPricesThatCannotBe(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		provider, id       string
		input, read, write string
		want               string // the read and write price, or the error
	}{
		"right":                        {"new", "m", "1", "0.1", "1.25", "0.1 1.25"},
		"nothing known":                {"new", "m", "1", "", "", " "},
		"the caches cost nothing more": {"new", "m", "1", "1", "0", "1 0"},
		"above the input":              {"new", "m", "1", "1.25", "", "fresh input 1"},
		"above the write price":        {"new", "m", "1", "0.5", "0.1", "writing to it 0.1"},
		"corrected":                    {"minimax", "m", "0.6", "0.375", "0.12", "0.12 0.375"},
		"repaired by the source":       {"minimax", "m", "0.6", "0.12", "0.75", "0.12 0.75"},
		"no correction helps":          {"minimax", "m", "0.1", "0.375", "0.12", "find out what is right"},
		"a model of nobody's":          {"openrouter", "new/m", "1", "2", "", "find out what is right"},
	} {
		p, err := settled(c.provider, c.id, number(t, c.input), cachePrices{number(t, c.read), number(t, c.write)})
		got := cell(p.read) + " " + cell(p.write)
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// At run time, a read price above the input price counts as unknown.
func TestReadPriceAboveTheInputIsUnknown(t *testing.T) {
	t.Parallel()
	m, err := parse("p\tm\t100\t\t1\t2\t1.5\t3\tri\tlow,high\t\t")
	if want := (settings.Prices{Input: 1, Output: 2, CacheRead: 1, CacheWrite: 3}); err != nil || m.Prices == nil || !reflect.DeepEqual(*m.Prices, want) {
		t.Errorf("%+v, %v", m.Prices, err)
	}
}
