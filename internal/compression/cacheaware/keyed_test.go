package cacheaware

import (
	"slices"
	"strings"
	"testing"

	"agent/internal/history"
)

// The text of a skill never ages, and an answer that refers to it removes none of it. Only newer
// content from the same source does. Answers of a server age like other results (setup.md 2, 5).
func TestContentOfASource(t *testing.T) {
	t.Parallel()
	say := func(t *talk, key, text string) {
		t.call("skill", map[string]any{"name": "pdf"}, text, false)
		if key != "" {
			at := len(t.entries) - 1
			t.entries[at] = t.entries[at].WithMeta(history.MetaKey, key)
		}
	}
	old, newer, pointer := source("Old", 40), source("New", 40), "already in the context, unchanged (entry 3)"
	for _, tc := range []struct {
		name string
		talk func(*talk)
		want []Reason // the expected removal of the first answer
	}{
		{"old", func(t *talk) { say(t, "skill:/pdf", old) }, nil},
		{"asked for again", func(t *talk) { say(t, "skill:/pdf", old); say(t, "", pointer) }, nil},
		{"changed", func(t *talk) { say(t, "skill:/pdf", old); say(t, "skill:/pdf", newer) }, []Reason{ReasonFree}},
		{"another", func(t *talk) { say(t, "skill:/pdf", old); say(t, "skill:/ps", newer) }, nil},
		{"of a server", func(t *talk) { say(t, "mcp:s/t({})", old) }, []Reason{ReasonUnused}},
	} {
		spoken := &talk{}
		spoken.human("go")
		tc.talk(spoken)
		for range 20 {
			spoken.call("shell", map[string]any{"command": "true"}, "ok", false)
		}
		e := newEngine()
		for _, entry := range spoken.entries {
			e.Add(entry)
		}
		p := e.Plan(RequestFacts{Price: SafePrice, Cold: true})
		var why []Reason
		for _, c := range p.Changes {
			if c.Entry == 2 {
				why = append(why, c.Why)
			}
		}
		if !slices.Equal(why, tc.want) {
			t.Errorf("%s: %v, want %v", tc.name, why, tc.want)
		}
		held := e.PrunableParts("", RequestFacts{Price: SafePrice, Cold: true})
		if kept := slices.ContainsFunc(held, func(h PrunablePart) bool { return strings.Contains(h.Reason, "only newer content") }); kept == (tc.name == "of a server") {
			t.Errorf("%s: held %+v", tc.name, held)
		}
	}
}
