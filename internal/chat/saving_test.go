package chat

import (
	"fmt"
	"testing"

	"agent/internal/settings"
)

// What pruning saves is told at the end of a turn, in tokens and by the price of the
// model, is taken up by a resumed session, and is nothing for a strategy without an
// account.
func TestSavingIsTold(t *testing.T) {
	t.Parallel()
	r := newLogged(t)
	r.set("compression.strategy", "cache-aware")
	r.set("context-limit", "1000000")
	r.at.prices = &settings.Prices{Input: 10, Output: 10, CacheRead: 1, CacheWrite: 12.5}
	r.model.next = func(int) answerFunc { return say("ok") }
	for i := range 40 {
		r.pair(fmt.Sprint(i), "run_shell_command", fmt.Sprint("go test ./", i), wordy(3000))
		if _, err := r.prompt("on"); err != nil {
			t.Fatal(err)
		}
	}
	saving := r.stats.Saving
	if saving.Tokens <= 0 || saving.Cost <= 0 {
		t.Fatalf("%+v; %d prunes", saving, len(r.window.Ledger.Lines()))
	}
	status := seen[StatusChanged](r.bench)
	if got := status[len(status)-1].Stats.Saving; got != saving {
		t.Errorf("told %+v, want %+v", got, saving)
	}
	account := r.window.Account.Saved()
	if want := (account.None - account.Spent) * 10 / 1e6; saving.Cost > want*1.01 || saving.Cost < want*0.99 {
		t.Errorf("$%f, want $%f", saving.Cost, want)
	}
	r.again()
	if got := r.stats.Saving; got != saving {
		t.Errorf("after a resume %+v, want %+v", got, saving)
	}
	r.set("compression.strategy", "high-density")
	if _, err := r.prompt("on"); err != nil || r.stats.Saving != (Saving{}) {
		t.Errorf("%+v, %v", r.stats.Saving, err)
	}
}

func TestSavingInWords(t *testing.T) {
	t.Parallel()
	for want, s := range map[string]Saving{
		"":                   {},
		"12k tokens":         {Tokens: 12_000},
		"12k tokens, $0.034": {Tokens: 12_000, Cost: 0.0339},
		"5 tokens":           {Tokens: 5, Cost: -1},
	} {
		if got := s.String(); got != want {
			t.Errorf("%+v: %q, want %q", s, got, want)
		}
	}
	if got := (Saving{5, 2}).Minus(Saving{3, 1}); got != (Saving{2, 1}) {
		t.Errorf("%+v", got)
	}
}
