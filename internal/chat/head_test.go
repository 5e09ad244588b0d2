package chat

import (
	"strings"
	"testing"

	"agent/internal/tools"
)

// TestSmallWindowIsReported checks that below 8192 tokens only the essential tools are offered. A
// notice lists them, and another notice appears when the context window grows.
func TestSmallWindowIsReported(t *testing.T) {
	t.Parallel()
	b := newBench(t, say("one"), say("two"), say("three"))
	essential := b.config.Tools.All()[0]
	essential.Essential = true
	b.Chat.config.Tools = tools.NewRegistry(append([]tools.Tool{essential}, b.config.Tools.All()[1:]...)...)
	b.config.System = func(lean bool, names []string, _ func(string) bool) (string, bool) {
		if lean {
			return "short, with " + strings.Join(names, ", "), false
		}
		return "long", false
	}
	b.renew()
	for i, step := range []struct {
		limit  string
		system string
		tools  int
		told   string
	}{
		{"4096", "short, with read_file", 1, "Small context window (4.1k tokens): a short prompt and only the essential tools are used (read_file). Prompt and tools take 4. If the model allows it, raise context-limit"},
		{"4096", "short, with read_file", 1, ""},
		{"32000", "long", len(b.config.Tools.All()), "The context window of 32k tokens fits the whole prompt and all tools"},
	} {
		b.set("context-limit", step.limit)
		before := len(seen[Notice](b))
		if _, err := b.prompt("hi"); err != nil {
			t.Fatal(err)
		}
		if r := b.model.requests[i]; r.System != step.system || len(r.Tools) != step.tools {
			t.Errorf("window %s: %q and %d tools were sent", step.limit, r.System, len(r.Tools))
		}
		told := seen[Notice](b)[before:]
		if step.told == "" && len(told) > 0 || step.told != "" && (len(told) != 1 || told[0].Text != step.told) {
			t.Errorf("window %s: told %q", step.limit, told)
		}
	}
}

// TestCutInstructionsAreReported checks that a notice reports parts of AGENTS.md that do not fit.
func TestCutInstructionsAreReported(t *testing.T) {
	t.Parallel()
	b := newBench(t, say("ok"))
	b.set("context-limit", "9000")
	b.config.System = func(_ bool, _ []string, fits func(string) bool) (string, bool) {
		for n := 4000; ; n-- {
			if fits(wordy(n)) {
				return wordy(n), n < 4000
			}
		}
	}
	b.renew()
	if _, err := b.prompt("hi"); err != nil {
		t.Fatal(err)
	}
	const want = "Small context window (9k tokens): AGENTS.md instructions are shortened. Prompt and tools take 3k. If the model allows it, raise context-limit"
	if told := seen[Notice](b); len(told) != 1 || told[0].Text != want {
		t.Errorf("told %q", told)
	}
}
