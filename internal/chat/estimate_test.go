package chat

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"agent/internal/atcmd"
	"agent/internal/chat/window"
	"agent/internal/compression"
	"agent/internal/history"
	"agent/internal/llm/vendor"
	"agent/internal/settings"
)

// keptTurns keeps turns in memory.
type keptTurns []float64

func (k *keptTurns) Add(multiple float64) { *k = append(*k, multiple) }
func (k *keptTurns) Multiples() []float64 { return *k }

// The estimate of the first request is within 2 % of the input side of its price, once the
// provider's count is known; and what turns cost is kept.
func TestEstimateIsExact(t *testing.T) {
	t.Parallel()
	c := newCacheBench(t, vendor.Cache{Kind: vendor.CachePrefix, Life: 10 * time.Minute, Step: 128})
	kept := &keptTurns{}
	c.config.Costs.Turns = kept
	r := rand.New(rand.NewPCG(1, 2))
	worst := 0.0
	for i := range 40 {
		text := strings.Repeat("words that are typed ", 200+r.IntN(400))
		c.now = c.now.Add(time.Minute)
		var e Estimate
		known := false
		done := make(chan error, 1)
		go func() {
			var err error
			e, known, err = EstimateOf(t.Context(), c.Chat, []history.Block{&history.Text{Text: text}})
			done <- err
		}()
		if err, _ := await(c.inbox, done); err != nil || !known {
			t.Fatal(known, err)
		}
		before := c.stats.Stats
		if _, err := c.Prompt(t.Context(), text); err != nil {
			t.Fatal(err)
		}
		cost := c.stats.Cost - before.Cost - float64(c.stats.CompletionTokens-before.CompletionTokens)*8/1e6
		if off := math.Abs(e.First/cost - 1); i >= 3 {
			if worst = max(worst, off); off > 0.02 {
				t.Errorf("turn %d: %.5f for %.5f", i, e.First, cost)
			}
		}
		if len(*kept) != i+1 || (*kept)[i] < 1 || i < leastTurns != (e.High == 0) {
			t.Fatalf("turn %d: kept %v, %+v", i, *kept, e)
		}
	}
	t.Logf("at most %.2f %% off", 100*worst)
}

// With every strategy the estimate has the size of the request that is then sent, also where content
// leaves before it, and its files.
func TestEstimateIsTheRequest(t *testing.T) {
	t.Parallel()
	for _, strategy := range compression.Names() {
		t.Run(strategy, func(t *testing.T) {
			t.Parallel()
			c := newCacheBench(t, vendor.Cache{Kind: vendor.CachePrefix, Life: 10 * time.Minute, Step: 128})
			c.set("compression.strategy", strategy)
			c.set("context-limit", "40000")
			c.renew()
			r := rand.New(rand.NewPCG(1, 4))
			known, shrunk, worst := 0, 0, 0.0
			for i := range 60 {
				blocks := []history.Block{&history.Text{Text: strings.Repeat("words that are typed ", 20+r.IntN(100))}}
				for range r.IntN(3) {
					blocks = append(blocks, history.NewInclusion([]string{"a.go", "b.go", "c.go"}[r.IntN(3)], strings.Repeat("words that are typed ", 20+r.IntN(100))))
				}
				c.now = c.now.Add(time.Minute)
				var e Estimate
				var is bool
				done := make(chan error, 1)
				go func() {
					var err error
					e, is, err = EstimateOf(t.Context(), c.Chat, blocks)
					done <- err
				}()
				if err, _ := await(c.inbox, done); err != nil {
					t.Fatal(err)
				}
				before, held := c.stats.Stats, c.config.History.TotalTokens()
				h := history.NewService(c.config.Counter(settings.Model.Of(c.config.Settings)), nil)
				probe := window.Copy(c.window, h)
				ratio := float64(probe.Measure.Scaled(1_000_000)) / 1_000_000 // before the report of this request
				c.Chat.config.Extensions.Expand = func(context.Context, atcmd.Message, Embedded) (atcmd.Expansion, error) {
					return atcmd.Expansion{Blocks: blocks}, nil
				}
				if _, err := c.Prompt(t.Context(), "typed"); err != nil {
					t.Fatal(err)
				}
				sent := c.model.requests[len(c.model.requests)-1]
				if err := h.Restore(sent.History); err != nil {
					t.Fatal(err)
				}
				if c.config.History.TotalTokens() < held {
					shrunk++
				}
				if !is {
					continue
				}
				known++
				const rounding = 2
				if want := float64(probe.Measure.Estimate()) * ratio; math.Abs(float64(e.Tokens)-want) > rounding {
					t.Errorf("turn %d: estimated %d tokens, sent %.0f", i, e.Tokens, want)
				}
				cost := c.stats.Cost - before.Cost - float64(c.stats.CompletionTokens-before.CompletionTokens)*8/1e6
				const learned = 6 // the scale of the provider's tokens is known by then
				if i >= learned {
					worst = max(worst, math.Abs(e.First/cost-1))
				}
			}
			t.Logf("%d of 60 known, the context shrank %d times, the cost at most %.2f %% off", known, shrunk, 100*worst)
			if known < 50 || shrunk == 0 || worst > 0.1 { // mostly one step of the cache too many counts as cached; why is not known
				t.Error("the estimate is missing or off")
			}
		})
	}
}

// Four of five turns and more lie in the range that the earlier ones give, however they are
// spread.
func TestTurnsLieInTheirRange(t *testing.T) {
	t.Parallel()
	for name, draw := range map[string]func(r *rand.Rand) float64{
		"even":   func(r *rand.Rand) float64 { return 1 + r.Float64()*9 },
		"spread": func(r *rand.Rand) float64 { return math.Exp(r.NormFloat64() * 1.5) },
		"two":    func(r *rand.Rand) float64 { return []float64{1.1, 30}[r.IntN(2)] },
	} {
		r := rand.New(rand.NewPCG(1, 3))
		var earlier []float64
		in, all := 0, 0
		for range 2000 {
			next := draw(r)
			if low, high, enough := RangeOf(earlier); enough {
				if all++; low <= next && next <= high {
					in++
				}
			}
			earlier = append(earlier, next)
		}
		if share := float64(in) / float64(all); share < 0.82 {
			t.Errorf("%s: %.3f of %d turns", name, share, all)
		}
	}
	if _, _, enough := RangeOf(make([]float64, leastTurns-1)); enough {
		t.Error("nine turns are enough")
	}
}
