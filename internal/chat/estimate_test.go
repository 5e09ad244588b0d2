package chat

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"agent/internal/llm/vendor"
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
			e, known, err = EstimateOf(t.Context(), c.Chat, text)
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
