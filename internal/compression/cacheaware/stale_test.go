package cacheaware

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"agent/internal/history"
)

// withLongAnswers replaces the answers of edits by long ones that show the changed lines.
func withLongAnswers(entries []*history.Content) []*history.Content {
	long := slices.Clone(entries)
	for i, entry := range long {
		if r, ok := entry.Blocks[0].(*history.ToolResponse); ok && r.Result.Text() == "done" {
			long[i] = entry.WithBlocks([]history.Block{r.WithResult(source(fmt.Sprint("Shown", i), 12))})
		}
	}
	return long
}

// No part of an edit is pruned while an older view of its lines stays without a mark as outdated.
func TestNewestTextStaysWhileOlderStays(t *testing.T) {
	t.Parallel()
	left, marked := 0, 0
	for seed := range historyCount(t, 60) {
		r := rand.New(rand.NewPCG(uint64(seed), 17))
		e := newEngine()
		e.account.None += 1e6 // the account can pay for every pruning pass
		moment := func(int) RequestFacts {
			return RequestFacts{Price: SafePrice, Head: 100, Cold: r.IntN(8) == 0, Pressed: r.IntN(20) == 0, Patience: 1}
		}
		run(e, withLongAnswers(randomTalk(r, 60)), moment, func(plan Plan) {
			for _, c := range plan.Changes {
				u := &e.conversation.units[c.unit]
				if c.Why == ReasonMarked {
					marked++
				}
				if u.fact.act != EffectEdit || !u.fact.ok {
					continue
				}
				for _, view := range u.fact.stale {
					left++
					if e.conversation.units[view].mayBeMarked() {
						t.Fatalf("seed %d, request %d: %s of %s left before an older view", seed, e.conversation.request, c.Kind, c.Subject)
					}
				}
			}
		})
	}
	if left == 0 || marked == 0 {
		t.Errorf("%d parts of edits left, %d views were marked", left, marked)
	}
}

// A stale view is marked when nothing is cached, and by each pruning pass that reaches it. Until
// then it stays, together with the answer of the edit.
func TestStaleViewsAreMarked(t *testing.T) {
	t.Parallel()
	text := source("A", 40)
	say := &talk{}
	say.human("go")
	say.call("read", map[string]any{"path": "a.go"}, text, false)
	say.call("replace", map[string]any{"path": "a.go", "old": "call_3(3)", "new": "call_4(4)"}, source("Shown", 9), false)
	say.idle(3)
	for cold, want := range map[bool]string{true: "2 view: marked", false: ""} {
		e := newEngine()
		for _, entry := range say.entries {
			e.Add(entry)
		}
		m := RequestFacts{Price: Price{Read: 0.1, Write: 1.25}, Cold: cold}
		if !cold {
			e.Sent(RequestFacts{Price: m.Price, Cold: true})
			e.Add(history.HumanText("go on"))
		}
		e.account.None += 1e6
		e.conversation.unpruned += 1000 // as if content was pruned before
		plan := e.Plan(m)
		var got []string
		for _, c := range plan.Changes {
			got = append(got, fmt.Sprintf("%d %s: %s", c.Entry, c.Kind, c.Why))
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("cold %v: %q, want %q", cold, got, want)
		}
		if !cold {
			continue
		}
		before := e.Entry(2)
		result := e.Apply(plan)
		shown := e.Entry(2).Blocks[0].(*history.ToolResponse).Result.Text()
		if shown != staleNote+text {
			t.Errorf("the view is %q", shown)
		}
		if again := e.Plan(m); len(again.Changes) > 0 {
			t.Errorf("marked again: %+v", again.Changes)
		}
		// An engine that follows the record has the same units.
		follower := newEngine()
		for _, entry := range say.entries {
			follower.Add(entry)
		}
		follower.Follow(history.Step{Kind: history.MutationDensity, Edits: map[*history.Content]history.Edit{before: {After: result.Replacements[2], Kinds: []history.PruneKind{history.PruneKind(ReasonMarked)}}}})
		own, followed := e.conversation.units[2], follower.conversation.units[2]
		own.fact, followed.fact = nil, nil
		if own.marked != followed.marked || own.tokens != followed.tokens || !own.marked {
			t.Errorf("the follower has %+v, the engine %+v", followed, own)
		}
	}
}
