package cacheaware

import (
	"math/rand/v2"
	"strings"
	"testing"

	"agent/internal/history"
)

// While the earlier part must stay, no plan changes anything up to the latest reply, whatever it
// would save.
func TestKeptPastStays(t *testing.T) {
	t.Parallel()
	free := 0
	for seed := range historyCount(t, 40) {
		r := rand.New(rand.NewPCG(uint64(seed), 11))
		e := newEngine()
		e.account.None += 1e6 // the account can pay for every pruning pass
		for i, entry := range randomTalk(r, 40) {
			if entry.Speaker == history.AI {
				m := RequestFacts{Price: SafePrice, Head: 100, Cold: r.IntN(4) == 0, Kept: true}
				for _, c := range e.Plan(m).Changes {
					if c.unit < e.conversation.replied {
						t.Fatalf("seed %d, entry %d: %+v changes what the latest reply has seen", seed, i, c)
					}
				}
				m.Kept = false
				free += len(e.Plan(m).Changes)
				e.Sent(m)
			}
			e.Add(entry)
		}
	}
	if free == 0 {
		t.Error("without the rule nothing would have changed either")
	}
}

// A session that reaches a price step stays below it if enough content can be pruned. Without the
// step, the pruning pass would never pay for itself.
func TestStepIsAvoided(t *testing.T) {
	t.Parallel()
	plan := func(step PriceStep) (Plan, int) {
		say := &talk{}
		say.human(strings.Repeat("a long story ", 84_000))
		say.call("grep", map[string]any{"pattern": "x"}, strings.Repeat("found ", 9000), false)
		say.human(strings.Repeat("a long story ", 3_000))
		say.idle(40)
		e := newEngine()
		for _, entry := range say.entries {
			e.Add(entry)
		}
		e.Sent(RequestFacts{Price: Price{Read: 0.025, Write: 1.25, Step: step}, Cold: true})
		e.Add(history.HumanText("go on " + strings.Repeat("and on ", 300)))
		m := RequestFacts{Price: Price{Read: 0.025, Write: 1.25, Step: step}}
		e.account.None += 1e6
		total := e.conversation.total
		return e.Plan(m), total
	}
	without, total := plan(PriceStep{})
	if len(without.Changes) > 0 {
		t.Fatalf("without a step went %v", without.Changes)
	}
	step := PriceStep{Above: total - 500, Read: 0.05, Write: 2.5}
	with, _ := plan(step)
	freed := 0
	for _, c := range with.Changes {
		freed += c.Tokens
	}
	if total-freed > step.Above {
		t.Errorf("%d of %d tokens went, and the request stays above the step at %d", freed, total, step.Above)
	}
	above := PriceStep{Above: total / 2, Read: 0.05, Write: 2.5}
	if p, _ := plan(above); len(p.Changes) > 0 {
		t.Errorf("far above the step went %v", p.Changes)
	}
}
