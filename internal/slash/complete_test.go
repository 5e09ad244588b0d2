package slash_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestComplete(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.run(t, "/set model gpt-5")
	w.run(t, "/set auth-keyfile '~/my keys/k'")
	w.run(t, "/profile save work")
	w.run(t, "/profile save home")
	w.run(t, "/model gpt-5")
	tests := []struct {
		line  string
		start int
		// first are the best proposals, in order.
		first []string
	}{
		{"/", 0, []string{"/help", "/clear"}},
		{"/memory", 0, []string{"/notes"}},
		{"/switch model", 0, []string{"/model"}},
		{"/tokens and cost", 0, []string{"/stats"}},

		{"/co", 0, []string{"/copy", "/context", "/compress", "/config", "/compact", "/cost"}},
		{"/Com", 0, []string{"/compress", "/compact"}},
		{"/ctx", 0, []string{"/ctx", "/context"}},
		{"/dnsty", 0, []string{"/density"}},
		{"/exi", 0, []string{"/exit"}},
		{"/set theme ", 11, []string{"auto", "dark", "light"}},
		{"/set  theme  D", 13, []string{"dark"}},
		{"/set compression.str", 5, []string{"compression.strategy"}},
		{"/set compression-str", 5, []string{"compression-strategy"}},
		{"/set recret", 5, []string{"compression.density.recencyRetention"}},
		{"/set compression-strategy ", 26, []string{"high-density", "middle-out", "one-shot", "top-down-truncation"}},
		{"/set approval-mode ", 19, []string{"ask", "auto-edit", "full-auto", "plan", "read-only"}},
		{"/set compression.density.fileDedupe f", 36, []string{"false"}},
		{"/set shell-timeout-seconds ", 27, []string{"300"}},
		{"/set auth-keyfile ", 18, []string{`"~/my keys/k"`}},
		{`/set auth-keyfile "~/my k`, 18, []string{`"~/my keys/k"`}},
		{"/set uns", 5, []string{"unset"}},
		{"/set unset ", 11, []string{"model", "auth-keyfile"}},
		{"/profile ", 9, []string{"save", "load", "list", "show", "delete", "default", "allow", "none"}},
		{"/profile load ", 14, []string{"home", "work"}},
		{"/profile default n", 17, []string{"none"}},
		{"/set compression.profile w", 25, []string{"work"}},
		{"/model ", 7, []string{"gpt-5", "gpt-4.1-mini", "qwen/qwen3:8b"}},
		{"/model mini", 7, []string{"gpt-4.1-mini"}},
		{"/MODEL q8", 7, []string{"qwen/qwen3:8b"}},
		{"/approval f", 10, []string{"full-auto", "forget"}},
		{"/theme ", 7, []string{"auto", "dark", "light"}},
		{"/debug o", 7, []string{"on", "off"}},
		{"/help dens", 6, []string{"density"}},
		{"/settings max-t", 10, []string{"max-turns"}},
		{"/export ", 8, []string{"conversation-20261121-123000.md"}},
		{"/quit ", 6, nil},
		{"/theme dark ", 12, nil},
		{"/set theme dark ", 16, nil},
		{"/set nosuch ", 12, nil},
		{"/profile list ", 14, nil},
		{"/nosuch ", 8, nil},
		{"hello", 5, nil},
		{"", 0, nil},
	}
	for _, test := range tests {
		start, _ := w.Complete(test.line)
		values := w.values(test.line)
		if start != test.start || len(values) < len(test.first) || !slices.Equal(values[:len(test.first)], test.first) || test.first == nil && len(values) > 0 {
			t.Errorf("Complete(%q) = %d, %q, want %d, %q", test.line, start, values, test.start, test.first)
		}
	}
}

// Every proposal has a one-line help text if one is needed.
func TestProposalsAreExplained(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, line := range []string{"/", "/set ", "/profile ", "/approval ", "/help ", "/settings ", "/debug ", "/export "} {
		_, proposals := w.Complete(line)
		for _, p := range proposals {
			if p.Help == "" || strings.Contains(p.Help, "\n") {
				t.Errorf("%s: %q is explained by %q", line, p.Value, p.Help)
			}
		}
	}
}

// Any input can be completed: the proposal replaces a suffix of the line, and the new line can be
// completed again.
func TestCompleteAnything(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.run(t, "/set auth-keyfile '~/my keys/k'")
	words := rapid.SampledFrom([]string{"/", "/set", "/SET", "set", "unset", "theme", "auth-keyfile", "model", `"`, "'", " ", "  ", "d", "ü", "\t", "/profile", "load"})
	rapid.Check(t, func(t *rapid.T) {
		line := strings.Join(rapid.SliceOf(words).Draw(t, "words"), "")
		start, proposals := w.Complete(line)
		if start < 0 || start > len(line) {
			t.Fatalf("Complete(%q) starts at %d", line, start)
		}
		for _, p := range proposals {
			full := line[:start] + p.Value
			again, _ := w.Complete(full)
			if again != start {
				t.Fatalf("after %q the word begins at %d, not %d", full, again, start)
			}
		}
	})
}

// Completing half a word must not cause a loss. The help of a proposal names the content that the
// command discards.
func TestProposalsMarkLosses(t *testing.T) {
	t.Parallel()
	loses := map[string]bool{"/clear": true, "/new": true, "/compress": true, "/compact": true, "/quit": true, "/exit": true, "/q": true}
	w := newWorld(t)
	for _, typed := range []string{"/", "/n", "/co", "/e", "/q"} {
		_, proposals := w.Complete(typed)
		for _, p := range proposals {
			if p.Loses != loses[p.Value] {
				t.Errorf("%s is proposed for %s with Loses = %v", p.Value, typed, p.Loses)
			}
		}
	}
}
