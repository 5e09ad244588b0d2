package window_test

import (
	"slices"
	"testing"

	"agent/internal/chat/window"
)

// If a server truncates the prompt, its token count is ignored, but it reveals the context window.
// A notice reports this once (I4).
func TestCutPrompt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name               string
		estimate, reported int
		cached             int
		limit              int
	}{
		{"Ollama's default", 12_758, 4096, 0, 4096},
		{"just the window", 33_000, 32_768, 0, 32_768},
		{"another tokenizer", 10_000, 8000, 0, 32_768},
		{"a larger one", 10_000, 15_000, 0, 32_768},
		{"too small to tell", 1500, 800, 0, 32_768},
		{"partly from the cache", 12_758, 4096, 8000, 32_768},
		{"nothing reported", 12_758, 0, 0, 32_768},
		{"less than any window", 12_758, 64, 0, 32_768},
	} {
		b := newBench(t, 32_768)
		before := b.Measure.Tokens()
		for range 2 {
			b.Observe("test-model", c.estimate, window.ProviderReport{Prompt: c.reported, Cached: c.cached})
		}
		var told []window.Truncation
		for _, step := range b.steps {
			if cut, ok := step.(window.Truncation); ok {
				told = append(told, cut)
			}
		}
		cut := c.limit != 32_768 || c.reported == 32_768 || c.reported == 64
		if b.Limits.Size() != c.limit || (len(told) == 1) != cut || len(told) > 1 {
			t.Errorf("%s: window %d, want %d; told %v", c.name, b.Limits.Size(), c.limit, told)
		}
		if cut && b.Measure.Tokens() != before {
			t.Errorf("%s: %d tokens are taken for %d", c.name, before, b.Measure.Tokens())
		}
	}
}

// Vendors do not truncate. If one reports too few tokens, it counts in its own way. A notice
// reports it, and the report is ignored.
func TestOddReport(t *testing.T) {
	t.Parallel()
	b := newBench(t, 32_768)
	b.models.cuts = false
	before := b.Measure.Tokens()
	for range 2 {
		b.Observe("test-model", 20_000, window.ProviderReport{Prompt: 1500})
	}
	if want := []window.Step{window.Truncation{Tokens: 20_000, Reported: 1500}}; !slices.Equal(b.steps, want) || b.Limits.Size() != 32_768 || b.Measure.Tokens() != before {
		t.Errorf("told %v, window %d", b.steps, b.Limits.Size())
	}
}
