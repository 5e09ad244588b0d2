package gate

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"agent/internal/tools"
)

// confined returns a command that runs in the sandbox.
func confined(line string) Call {
	return command(line).with(func(p *tools.Preview) { p.Sandboxed, p.Confined = true, true })
}

// After five approvals in a row of sandboxed commands, the next prompt for such a command offers
// the mode. The answer changes the mode.
func TestTheModeIsOffered(t *testing.T) {
	t.Parallel()
	c := consentIn(t, ModeAsk, Policy{})
	ask := func(k Call) *Question { return c.check(t.Context(), k).Ask }
	for n := range offerAfter {
		question := ask(confined(fmt.Sprintf("make %d", n)))
		if question.Approval.Sandbox != "" {
			t.Fatalf("offered after %d", n)
		}
		question.Then(Decision{Allow: true})
		ask(edit("a.go")).Then(Decision{Allow: true})
	}
	for name, k := range map[string]Call{"no sandbox": command("make x"), "outside": outside, "edit": edit("a.go"), "unwatched": confined("make").with(func(p *tools.Preview) { p.Unwatched = "home" })} {
		if q := ask(k); q.Approval.Sandbox != "" {
			t.Errorf("%s: %q is offered", name, q.Approval.Sandbox)
		}
	}
	if c.ForAgent(ModeAsk).check(t.Context(), confined("make")).Ask.Approval.Sandbox != "" {
		t.Error("it is offered to an agent that is bound to the mode ask")
	}
	question := ask(confined("make all"))
	if question.Approval.Sandbox == "" {
		t.Fatal("not offered")
	}
	if v := question.Then(Decision{Allow: true, Sandbox: true}); v.Notice == "" || v.Refusal != "" || c.Mode() != ModeAutoEdit {
		t.Errorf("%+v in mode %s", v, c.Mode())
	}
	if c.WouldAsk(confined("make all")) || !c.WouldAsk(outside) {
		t.Error("a command in the sandbox is still asked about, or one outside is not")
	}
}

// The mode is offered exactly if the last five answers about sandboxed commands were plain
// approvals. A decision without an offer does not change the mode.
func TestTheModeIsOfferedInARow(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		c, row := consentIn(t, ModeAsk, Policy{}), 0
		for n := range rapid.IntRange(1, 20).Draw(r, "calls") {
			question := c.check(t.Context(), confined(fmt.Sprintf("tool%d x", n))).Ask
			if (question.Approval.Sandbox != "") != (row >= offerAfter) {
				r.Fatalf("after %d in a row: %q", row, question.Approval.Sandbox)
			}
			d := Decision{Allow: rapid.IntRange(0, 9).Draw(r, "yes") > 0, Sandbox: row < offerAfter && rapid.Bool().Draw(r, "forged")}
			row++
			if !d.Allow || d.Sandbox {
				row = 0
			}
			question.Then(d)
			if c.Mode() != ModeAsk {
				r.Fatal("the mode has changed")
			}
		}
	})
}
