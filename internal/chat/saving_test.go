package chat

import (
	"context"
	"fmt"
	"testing"

	"agent/internal/llm"
	"agent/internal/settings"
)

// At the end of a turn, a notice reports the saving from pruning, in tokens and in cost. A resumed
// session continues the sum. A strategy without an account reports nothing.
func TestSavingIsReported(t *testing.T) {
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
	account := r.window.Costs.Savings()
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
	for _, tt := range []struct {
		s    Saving
		want string
	}{
		{Saving{}, ""},
		{Saving{Tokens: 95}, ""},
		{Saving{Tokens: 50_000, Without: 128_000, Saved: 1200, Cost: 0.5}, ""}, // less than 1%
		{Saving{Tokens: 50_000, Without: 128_000, Saved: -1200, Cost: -0.5}, ""},
		{Saving{Tokens: 50_000, Without: 128_000, Saved: 12_000}, "saved 12k tokens at full price"},
		{Saving{Tokens: 50_000, Without: 128_000, Saved: 12_000, Cost: 0.0339}, "saved $0.034"},
		{Saving{Tokens: 50_000, Without: 128_000, Saved: -12_000}, "lost 12k tokens at full price"},
		{Saving{Tokens: 50_000, Without: 128_000, Saved: -12_000, Cost: -0.0339}, "lost $0.034"},
	} {
		if got := tt.s.String(); got != tt.want {
			t.Errorf("%+v: %q, want %q", tt.s, got, tt.want)
		}
	}
	a, b := Saving{5, 4, 3, 2}, Saving{4, 3, 2, 1}
	if got := a.Minus(b); got != (Saving{1, 1, 1, 1}) || got.Plus(b) != a {
		t.Errorf("%+v", got)
	}
}

// If a pruning pass loses more of the provider's cache than a prefix, the reported saving shrinks
// by the loss.
func TestRoughCacheShrinksTheSaving(t *testing.T) {
	t.Parallel()
	saved := map[bool]Saving{}
	for _, rough := range []bool{false, true} {
		r := newLogged(t)
		r.set("compression.strategy", "cache-aware")
		r.set("context-limit", "1000000")
		r.at.prices = &settings.Prices{Input: 10, Output: 10, CacheRead: 0.5, CacheWrite: 100}
		before := 0
		r.model.next = func(int) answerFunc {
			return func(ctx context.Context, req llm.Request, yield func(llm.Chunk, error) bool) {
				tokens := r.window.Measure.Tokens()
				cached := min(before, tokens)
				if rough && tokens < before+500 {
					cached = 0 // the pruning pass
				}
				before = tokens
				respond(llm.Text{Delta: "ok"}, llm.Usage{PromptTokens: tokens, CachedTokens: cached, CompletionTokens: 1}, llm.Finish{Reason: "stop"})(ctx, req, yield)
			}
		}
		for i := range 40 {
			r.pair(fmt.Sprint(i), "run_shell_command", fmt.Sprint("go test ./", i), wordy(3000))
			if _, err := r.prompt("on"); err != nil {
				t.Fatal(err)
			}
		}
		saved[rough] = r.stats.Saving
	}
	if rough, fine := saved[true].Cost, saved[false].Cost; fine <= 0 || rough > fine/4 {
		t.Errorf("saved $%.2f, and $%.2f where a cut loses the whole cache", fine, rough)
	}
}

// A provider that counts fewer tokens than this program also charges for fewer. The saving follows its
// reports, even if nearly all of each request comes from its cache.
func TestSavingIsInTheTokensOfTheProvider(t *testing.T) {
	t.Parallel()
	saved := map[float64]Saving{}
	for _, scale := range []float64{1, 0.6} {
		r := newLogged(t)
		r.set("compression.strategy", "cache-aware")
		r.set("context-limit", "1000000")
		r.at.prices = &settings.Prices{Input: 10, Output: 10, CacheRead: 1, CacheWrite: 12.5}
		before := 0
		r.model.next = func(int) answerFunc {
			return func(ctx context.Context, req llm.Request, yield func(llm.Chunk, error) bool) {
				tokens := int(scale * float64(r.window.Measure.Estimate()))
				if before == 0 {
					tokens = r.window.Measure.Estimate() // both count the same for plain text
				}
				cached := min(before, tokens)
				before = tokens
				respond(llm.Text{Delta: "ok"}, llm.Usage{PromptTokens: tokens, CachedTokens: cached, CompletionTokens: 1}, llm.Finish{Reason: "stop"})(ctx, req, yield)
			}
		}
		for i := range 40 {
			r.pair(fmt.Sprint(i), "run_shell_command", fmt.Sprint("go test ./", i), wordy(3000))
			if _, err := r.prompt("on"); err != nil {
				t.Fatal(err)
			}
		}
		saved[scale] = r.stats.Saving
	}
	if share := saved[0.6].Cost / saved[1].Cost; saved[1].Cost <= 0 || share < 0.55 || share > 0.65 {
		t.Errorf("saved $%.3f where both count the same, and $%.3f where the provider counts 0.6 of it", saved[1].Cost, saved[0.6].Cost)
	}
}
