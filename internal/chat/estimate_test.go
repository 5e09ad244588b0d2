package chat

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"agent/internal/atcmd"
	"agent/internal/chat/cachemiss"
	"agent/internal/compression"
	"agent/internal/history"
	"agent/internal/llm/vendor"
	"agent/internal/session"
	"agent/internal/tokens"
)

// keptTurns keeps turns in memory.
type keptTurns []float64

func (k *keptTurns) Add(multiple float64) { *k = append(*k, multiple) }
func (k *keptTurns) Latest() []float64    { return *k }

// estimateOf requests an estimate like an interface does, from a goroutine that does not own the
// chat.
func (c *cacheBench) estimateOf(t *testing.T, blocks []history.Block) (e CostEstimate, known bool) {
	t.Helper()
	done := make(chan error, 1)
	go func() {
		var err error
		e, known, err = EstimateMessage(t.Context(), c.Chat, blocks)
		done <- err
	}()
	if err, _ := await(c.inbox, done); err != nil {
		t.Fatal(err)
	}
	return e, known
}

// pay sends a message after a minute. It returns the input cost of its request in USD, and its
// size.
func (c *cacheBench) pay(t *testing.T, blocks []history.Block) (cost float64, tokens int) {
	t.Helper()
	before := c.stats.Stats
	c.Chat.config.Extensions.Expand = func(context.Context, atcmd.Message, RunEmbedded) (atcmd.Expansion, error) {
		return atcmd.Expansion{Blocks: blocks}, nil
	}
	if _, err := c.Prompt(t.Context(), "typed"); err != nil {
		t.Fatal(err)
	}
	const output = 8.0 / 1_000_000
	return c.stats.Cost - before.Cost - float64(c.stats.CompletionTokens-before.CompletionTokens)*output, c.stats.PromptTokens - before.PromptTokens
}

// similarText returns text that the provider counts on one scale.
func similarText(r *rand.Rand) string { return strings.Repeat("words that are typed ", 20+r.IntN(100)) }

// mixedText returns prose and code, for which two vocabularies differ.
func mixedText(r *rand.Rand) string {
	words := strings.Fields("the request that was sent before has everything, so nothing of it may leave; isn't that unfortunate? Überprüfung naïve 2026-11-28")
	code := r.IntN(2) == 0
	var text strings.Builder
	for range 1 + r.IntN(30) {
		if code {
			fmt.Fprintf(&text, "\tif err := store.Flush%d(ctx, batch[%d:], 0x%x); err != nil { return nil, fmt.Errorf(%q, err) }", r.IntN(99), r.IntN(9), r.Uint32(), "flushing: %w")
		}
		for range r.IntN(16) {
			text.WriteString(words[r.IntN(len(words))] + " ")
		}
		text.WriteString("\n")
	}
	return text.String()
}

// estimateSums sums up the estimates of first requests after the first few: the requested ones, the
// available ones, the ones with a single cost, and the costs that differed from the estimate by
// more than 2 %.
type estimateSums struct {
	turns, known, single, beside int
	// worst is the largest difference between a cost and its estimate. shrunk is the number of
	// turns before which content was pruned.
	worst  float64
	shrunk int
}

// estimateTurns estimates and sends the turns of sessions with a strategy. Their messages mention files
// that supersede each other.
func estimateTurns(t *testing.T, strategy string, text func(*rand.Rand) string, counters ...history.Counter) (f estimateSums) {
	checks, _ := strconv.Atoi(flag.Lookup("rapid.checks").Value.String())
	for session := range max(1, checks/30) {
		c := newCacheBench(t, vendor.Cache{Kind: vendor.CachePrefix, Life: 10 * time.Minute, StepTokens: 128})
		c.set("compression.strategy", strategy)
		c.set("context-limit", "40000")
		if len(counters) > 0 {
			c.config.Counter = func(string) history.Counter { return counters[0] }
			c.config.History = history.NewService(counters[0], nil)
			c.cache.tokens = counters[1]
		}
		c.renew()
		r := rand.New(rand.NewPCG(1, uint64(4+session)))
		for i := range 60 {
			blocks := []history.Block{&history.Text{Text: text(r)}}
			for range r.IntN(3) {
				blocks = append(blocks, history.NewInclusion([]string{"a.go", "b.go", "c.go"}[r.IntN(3)], text(r)))
			}
			c.now = c.now.Add(time.Minute)
			e, known := c.estimateOf(t, blocks)
			held := c.config.History.TotalTokens()
			cost, tokens := c.pay(t, blocks)
			const learned = 3 // the scale of the provider's tokens is known after these turns
			if i < learned {
				continue
			}
			f.turns++
			if c.config.History.TotalTokens() < held {
				f.shrunk++
			}
			if !known {
				continue
			}
			f.known++
			least, most := e.Least, e.Most
			if strings.Count(e.String(), "$") == 1 {
				f.single++
				least, most = e.First, e.First
			}
			const promised = 0.02
			if cost < least*(1-promised) || cost > most*(1+promised) {
				f.beside++
			}
			f.worst = max(f.worst, math.Abs(e.First/cost-1))
			if e.Least > e.First || e.First > e.Most || math.Abs(float64(e.Tokens)/float64(tokens)-1) > 0.2 {
				t.Errorf("turn %d: %+v, and it was $%f for %d tokens", i, e, cost, tokens)
			}
		}
	}
	t.Logf("%+v", f)
	return f
}

// The estimate of the first request is within 2 % of its input cost, once the provider's count is
// known. This is true for every strategy, with files, and if content is pruned before it.
func TestEstimateIsTheRequest(t *testing.T) {
	t.Parallel()
	for _, strategy := range compression.Names() {
		t.Run(strategy, func(t *testing.T) {
			t.Parallel()
			f := estimateTurns(t, strategy, similarText)
			if strategy == "high-density" {
				// Files are pruned from the middle of messages. Their position within a message is
				// inexact, and a step of the cache may begin there.
				f.beside, f.worst = max(0, f.beside-f.known/100), f.worst/5
			}
			if f.worst > 0.02 || f.beside > 0 || f.shrunk == 0 || 10*f.known < 9*f.turns || 2*f.single < f.known {
				t.Error("the estimate is missing or off")
			}
		})
	}
}

// If the step of a cache is unknown, the estimate learns it from the reports.
func TestEstimateLearnsTheStep(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 8))
	c := newCacheBench(t, vendor.Cache{})
	worst := 0.0
	for i := range 40 {
		blocks := []history.Block{&history.Text{Text: similarText(r)}}
		c.now = c.now.Add(time.Minute)
		e, _ := c.estimateOf(t, blocks)
		if cost, _ := c.pay(t, blocks); i > 8 {
			worst = max(worst, math.Abs(e.First/cost-1))
		}
	}
	if t.Logf("at most %.2f %% off", 100*worst); worst > 0.01 {
		t.Error("more than 1 %")
	}
}

// The estimate is also right if the provider's vocabulary differs from ours for some kinds of text.
// It shows a single cost only if that is certain, and otherwise a range.
func TestEstimateOfOtherVocabularies(t *testing.T) {
	t.Parallel()
	for _, strategy := range compression.Names() {
		t.Run(strategy, func(t *testing.T) {
			t.Parallel()
			f := estimateTurns(t, strategy, mixedText, tokens.NewCounter(tokens.O200K), tokens.NewCounter(tokens.CL100K))
			if 20*f.beside > f.known || f.shrunk == 0 || f.known == 0 {
				t.Error("the estimate is missing or off")
			}
		})
	}
}

// The first estimate after a resume or a rewind is as exact as the others, with every strategy. The
// record contains the sizes of the latest request.
func TestEstimateAfterAResumeOrRewind(t *testing.T) {
	t.Parallel()
	for _, strategy := range compression.Names() {
		t.Run(strategy, func(t *testing.T) {
			t.Parallel()
			estimateAgain(t, strategy)
		})
	}
}

func estimateAgain(t *testing.T, strategy string) {
	r := rand.New(rand.NewPCG(1, 6))
	bench := func() *cacheBench {
		c := newCacheBench(t, vendor.Cache{Kind: vendor.CachePrefix, Life: 10 * time.Minute, StepTokens: 128})
		c.set("compression.strategy", strategy)
		c.renew()
		return c
	}
	c := bench()
	exact := func(c *cacheBench) {
		t.Helper()
		blocks := []history.Block{&history.Text{Text: fmt.Sprint(r.IntN(1_000_000), " ", similarText(r))}} // no other message begins with this text
		c.now = c.now.Add(time.Minute)
		e, known := c.estimateOf(t, blocks)
		cost, _ := c.pay(t, blocks)
		if !known || math.Abs(e.First/cost-1) > 0.02 {
			t.Errorf("%+v, and it was $%f", e, cost)
		}
	}
	for range 12 {
		c.pay(t, []history.Block{&history.Text{Text: similarText(r)}})
	}
	exact(c)
	again := bench()
	again.now, again.cache = c.now, c.cache
	c.cache.now = func() time.Time { return again.now }
	if err := again.resume(c.config.History.RawHistory(), nil); err != nil {
		t.Fatal(err)
	}
	exact(again)
	earlier := session.State{Entries: again.config.History.RawHistory()[:8]}
	if err := again.config.History.Rewind(earlier.Entries, 1); err != nil {
		t.Fatal(err)
	}
	again.window.Reset()
	again.applyRewind(history.Point{}, earlier)
	exact(again)
	if got := cachemiss.MissesIn(again.config.History.RawHistory()); len(got) != 0 {
		t.Errorf("a resume and a rewind break the cache: %v", got)
	}
}

// A single cost is shown if it is as exact as promised, and otherwise a range.
func TestEstimateShowsARange(t *testing.T) {
	t.Parallel()
	for want, e := range map[string]CostEstimate{
		"≈ $0.10 for the first request":                                       {First: 0.1, Least: 0.099, Most: 0.101},
		"≈ $0.10 to $0.12 for the first request, $0.10 to $0.90 for the turn": {First: 0.11, Least: 0.1, Most: 0.12, Low: 0.1, High: 0.9},
	} {
		if got := e.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// The cost of each turn is stored. The estimate includes a range for the whole turn after ten
// turns.
func TestTurnsAreKept(t *testing.T) {
	t.Parallel()
	c := newCacheBench(t, vendor.Cache{Kind: vendor.CachePrefix, Life: 10 * time.Minute, StepTokens: 128})
	kept := &keptTurns{}
	c.config.Costs.Turns = kept
	r := rand.New(rand.NewPCG(1, 2))
	for i := range leastTurns + 3 {
		blocks := []history.Block{&history.Text{Text: similarText(r)}}
		e, known := c.estimateOf(t, blocks)
		c.pay(t, blocks)
		if !known || len(*kept) != i+1 || (*kept)[i] < 1 || i < leastTurns != (e.High == 0) || e.High > 0 && (e.Low < e.Least || e.High < e.Most) {
			t.Fatalf("turn %d: kept %v, %+v", i, *kept, e)
		}
	}
}

// At least four of five turns are in the range that the earlier ones predict, for every
// distribution.
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
			if low, high, enough := PredictionRange(earlier); enough {
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
	if _, _, enough := PredictionRange(make([]float64, leastTurns-1)); enough {
		t.Error("nine turns are enough")
	}
}
