package cacheaware

import (
	"strings"
	"testing"

	"agent/internal/history"
)

// If the same search is repeated, or one of its pages is read, the older result is pruned. Its
// first line stays.
func TestUsedSearchesArePruned(t *testing.T) {
	t.Parallel()
	const heading = `2 results from brave for "go 1.26", 2026-11-23` + "\n"
	found := heading + strings.Repeat("1. A page (a.example/x, 2026-09-02)\n   about it\n2. Other (b.example/y)\n", 40)
	for _, tt := range []struct {
		name   string
		after  func(*talk)
		leaves bool
	}{
		{"nothing", func(*talk) {}, false},
		{"another search", func(k *talk) {
			k.call("web_search", map[string]any{"query": "other"}, "no results from brave", false)
		}, false},
		{"the same, in other letters and number", func(k *talk) {
			k.call("web_search", map[string]any{"query": "GO 1.26", "count": 3}, found, false)
		}, true},
		{"one of its pages", func(k *talk) {
			k.call("web_fetch", map[string]any{"url": "https://a.example/x"}, "the page", false)
		}, true},
		{"another page", func(k *talk) {
			k.call("web_fetch", map[string]any{"url": "https://a.example/"}, "the page", false)
		}, false},
	} {
		talk := &talk{}
		talk.human("go")
		talk.call("web_search", map[string]any{"query": "go 1.26"}, found, false)
		tt.after(talk)
		talk.idle(2)
		_, e := plan(RequestFacts{}, talk)
		e.Apply(e.Plan(RequestFacts{Price: SafePrice, Cold: true, Pace: 100})) // with a pace at which age does not matter
		for _, entry := range e.conversation.entries {
			r, is := entry.Blocks[0].(*history.ToolResponse)
			if !is {
				continue
			}
			if text := r.Result.Text(); strings.HasPrefix(text, heading+"[pruned") != tt.leaves || !strings.HasPrefix(text, heading) {
				t.Errorf("%s: left is %.120q", tt.name, text)
			}
			break
		}
	}
}
