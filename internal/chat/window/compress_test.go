package window_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"agent/internal/chat/window"
	"agent/internal/compression"
	"agent/internal/history"
	"agent/internal/settings"
)

var errBoom = errors.New("boom")

// TestS06ExactlyAtTheThreshold covers S-06 and D-07.
func TestS06ExactlyAtTheThreshold(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		more int
		want bool
	}{{"one below", -1, false}, {"exactly", 0, true}} {
		b := newBench(t, 1000)
		b.set(settings.CompressionThreshold, 0.5)
		b.say("go")
		b.add(history.New(history.AI)) // an empty entry, which only the raw history contains
		b.pair("c", "read_file", "a", wordy(100))
		b.pair("d", "read_file", "b", wordy(100))
		b.say(wordy(500 + tc.more - b.Measure.Tokens() - 4))
		if got := b.Measure.ShouldCompress(b.active()); got != tc.want {
			t.Errorf("%s: due %t", tc.name, got)
		}
		if b.fit(); len(told[window.Compression](b)) == 1 != tc.want {
			t.Errorf("%s: done %q", tc.name, b.names())
		}
	}
}

// TestReserveTriggersCompression_D40 checks that a context which does not leave the reserve free is
// compressed like one above the threshold, exact to the token.
func TestReserveTriggersCompression_D40(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		more int
		want bool
	}{{0, false}, {1, true}} {
		b := newBench(t, 1000)
		b.set(settings.MaxOutputTokens, 200)
		b.set(settings.CompressionThreshold, 1)
		b.say("go")
		b.pair("a", "read_file", "a", wordy(500))
		b.add(history.New(history.AI, &history.Text{Text: "I have read it"})) // otherwise it stays (D-120)
		b.say(wordy(800 - b.Measure.Tokens() - 4 + tc.more))
		if got := b.Measure.ShouldCompress(b.active()); got != tc.want {
			t.Errorf("%d over: due %t", tc.more, got)
		}
		if b.fit(); slices.Equal(b.names(), []string{compression.DefaultName}) != tc.want {
			t.Errorf("%d over: done %q", tc.more, b.names())
		}
	}
}

// TestWindowSizes_D40 checks the start and the target of compression for each context window and
// reserve (D-40). At each size, a long session is compressed before any fallback step is needed.
func TestWindowSizes_D40(t *testing.T) {
	t.Parallel()
	const overhead = 2400
	for _, tc := range []struct{ limit, output, trigger, target int }{
		{4096, 0, 3072, 2803},
		{8192, 0, 6144, 4646},
		{16_000, 0, 12_000, 8160},
		{32_000, 0, 24_000, 15_360},
		{64_000, 0, 48_000, 29_760},
		{109_227, 0, 92_842, 56_665},
		{128_000, 0, 108_800, 66_240},
		{200_000, 0, 170_000, 102_960},
		{1_000_000, 0, 850_000, 510_960},
		{64_000, 32_000, 32_000, 20_160},
		{128_000, 32_000, 96_000, 58_560},
		{200_000, 32_000, 168_000, 101_760},
		{1_000_000, 32_000, 850_000, 510_960},
	} {
		t.Run(fmt.Sprintf("%d reserve %d", tc.limit, tc.output), func(t *testing.T) {
			t.Parallel()
			b := newBench(t, tc.limit)
			b.set(settings.MaxOutputTokens, tc.output)
			b.head.System, b.head.Tools = wordy(overhead), nil
			spy := &compressSpy{Strategy: highDensity(t)}
			b.strategies[compression.DefaultName] = spyOptimizer{spy}
			if got := b.Limits.CompressionThreshold(b.active()); got != tc.trigger {
				t.Errorf("trigger %d, want %d", got, tc.trigger)
			}
			if u := b.Usage(); u.Threshold != tc.trigger {
				t.Errorf("/context shows %d, want %d", u.Threshold, tc.trigger)
			}
			b.say("work")
			size := b.Measure.OutputLimit() / 2
			for i := range 40 * (tc.limit - overhead) / size / 10 {
				b.pair(fmt.Sprint(i), "read_file", fmt.Sprint(i), wordy(size))
				b.fit()
			}
			if got := spy.given.Target(); got < tc.target-1 || got > tc.target {
				t.Errorf("target %d, want %d", got, tc.target)
			}
			// Half of the kept part is the tail. If a result is a large part of a small window, a
			// fallback step may shorten the tail. Compression still comes first each time.
			for i, name := range b.names() {
				if name != compression.DefaultName && (i == 0 || b.names()[i-1] == "density") {
					t.Errorf("step %d of %q is a fallback step", i, b.names())
					break
				}
			}
			if tc.limit >= 16_000 && slices.ContainsFunc(b.names(), func(n string) bool { return n != compression.DefaultName }) {
				t.Errorf("compression was not enough: %q", b.names())
			}
			if b.CompressionCount() == 0 {
				t.Error("nothing was ever compressed")
			}
		})
	}
}

// spyOptimizer is a compressSpy that optimizes like high-density.
type spyOptimizer struct{ *compressSpy }

func (s spyOptimizer) Optimize(raw []*history.Content, config compression.DensityConfig) (history.DensityResult, error) {
	return s.Strategy.(compression.Optimizer).Optimize(raw, config)
}

// TestThresholdPrecedence_REQ_HD_001_10 covers REQ-HD-001.10 and BR-THRESH-001.
func TestThresholdPrecedence_REQ_HD_001_10(t *testing.T) {
	t.Parallel()
	b := newBench(t, 1_000_000)
	if got := b.Limits.CompressionThreshold(highDensity(t)); got != 850_000 {
		t.Errorf("strategy default %v", got)
	}
	b.set(settings.CompressionThreshold, 0.4)
	if got := b.Limits.CompressionThreshold(highDensity(t)); got != 400_000 {
		t.Errorf("setting %v", got)
	}
}

// TestInputOfAStrategy checks the input of a strategy: the entries with their counts, the
// limits in our own tokens, and the name of a call (D-09, D-26, D-40).
func TestInputOfAStrategy(t *testing.T) {
	t.Parallel()
	b := newBench(t, 10_000)
	b.set(settings.MaxOutputTokens, 2000)
	b.set(settings.CompressionThreshold, 0.1)
	b.set(settings.CompressionPreserveThreshold, 0.3)
	spy := &compressSpy{Strategy: highDensity(t)}
	b.strategies[compression.DefaultName] = spy
	b.Observe("test-model", 100, window.ProviderReport{Prompt: 200})
	b.say("go")
	b.pair("a", "read_file", "src/a.go", wordy(1000))
	b.say("on")
	b.add(history.New(history.AI, &history.Text{Text: "ok"}))
	b.fit()
	c := spy.given
	if len(c.History) != 5 || len(c.Tokens) != 5 || c.Overhead != b.overhead() || c.Total() < 1000 {
		t.Errorf("given %d entries, %v, overhead %d", len(c.History), c.Tokens, c.Overhead)
	}
	if c.ContextLimit != 5000 || c.Reserve != 1000 || c.Threshold != 0.1 || c.PreserveThreshold != 0.3 {
		t.Errorf("given limit %d, reserve %d, threshold %v, share %v", c.ContextLimit, c.Reserve, c.Threshold, c.PreserveThreshold)
	}
	if got := b.results()[0]; got != "[read_file: src/a.go — success, 4999 characters]" && !strings.HasPrefix(got, "[read_file: src/a.go — success") {
		t.Errorf("summarised as %q", got)
	}
}

// TestErrorsOfTheWindowPropagate covers S-08, REQ-HD-013.1, REQ-HD-013.2, REQ-HD-013.4 and D-31.
// Any failure before a request ends the send, at every size, and no other step replaces it.
func TestErrorsOfTheWindowPropagate(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name     string
		strategy func(*testing.T) compression.Strategy
		limit    int
		words    string
	}{
		{"optimise", func(t *testing.T) compression.Strategy {
			return &optimizeCounter{Strategy: highDensity(t), err: errBoom}
		}, 100_000, "pruning failed"},
		{"optimise at the limit", func(t *testing.T) compression.Strategy {
			return &optimizeCounter{Strategy: highDensity(t), err: errBoom}
		}, 1000, "pruning failed"},
		{"apply", func(t *testing.T) compression.Strategy {
			return &optimizeCounter{Strategy: highDensity(t), result: history.DensityResult{Removals: []int{99}}}
		}, 100_000, "pruning failed"},
		{"compress at the threshold", func(t *testing.T) compression.Strategy { return &compressSpy{Strategy: highDensity(t), err: errBoom} }, 2400, "To send your message again"},
		{"compress at the limit", func(t *testing.T) compression.Strategy { return &compressSpy{Strategy: highDensity(t), err: errBoom} }, 1000, "To send your message again"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, tc.limit)
			b.set(settings.CompressionThreshold, 0.5)
			b.strategies[compression.DefaultName] = tc.strategy(t)
			b.say("go")
			for i := range 7 {
				b.pair(fmt.Sprint(i), "read_file", fmt.Sprint(i), wordy(200))
			}
			before := b.History.RawHistory()
			err := b.tryFit()
			var refused *history.DensityError
			if !errors.Is(err, errBoom) && !errors.As(err, &refused) || !strings.Contains(err.Error(), tc.words) {
				t.Errorf("told %v", err)
			}
			if !slices.Equal(before, b.History.RawHistory()) || len(b.names()) != 0 {
				t.Errorf("done instead: %q", b.names())
			}
		})
	}
	t.Run("unknown strategy", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, 0)
		b.set(settings.CompressionStrategy, "zip")
		b.say("go")
		var unknown *compression.UnknownStrategyError
		if err := b.tryFit(); !errors.As(err, &unknown) {
			t.Errorf("sent with an unknown strategy: %v", err)
		}
		if _, err := b.Compress(t.Context()); !errors.As(err, &unknown) {
			t.Errorf("/compress: %v", err)
		}
	})
	t.Run("reserve leaves no room", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, 1000)
		b.set(settings.MaxOutputTokens, 1000)
		b.say("go")
		for i := range 3 {
			b.pair(fmt.Sprint(i), "read_file", fmt.Sprint(i), wordy(100))
		}
		err := b.tryFit()
		if err == nil || !strings.Contains(err.Error(), "max-output-tokens (1000)") || !strings.Contains(err.Error(), "context-limit (1000)") || len(b.names()) != 0 {
			t.Errorf("%v, done %q", err, b.names())
		}
	})
}

// TestRecordThatFails checks that an error of the record reaches the user. A change that was not
// recorded is not reported as done (D-24, D-42).
func TestRecordThatFails(t *testing.T) {
	t.Parallel()
	for _, strategy := range []string{compression.DefaultName, "top-down-truncation"} {
		b := newBench(t, 1000)
		b.set(settings.CompressionStrategy, strategy)
		b.observe(func(m history.Mutation) error {
			if m.Kind == history.MutationReplaced {
				return errBoom
			}
			return nil
		})
		b.say("go")
		for i := range 7 {
			b.pair(fmt.Sprint(i), "read_file", fmt.Sprint(i), wordy(200))
		}
		if err := b.tryFit(); !errors.Is(err, errBoom) || len(b.names()) != 0 || b.CompressionCount() != 0 {
			t.Errorf("%s: %v, told %q", strategy, err, b.names())
		}
	}
}

// TestNothingIsReplacedByANoOp checks that a compression without effect writes no record (D-28).
func TestNothingIsReplacedByANoOp(t *testing.T) {
	t.Parallel()
	b := newBench(t, 1000)
	b.set(settings.CompressionThreshold, 0.1)
	b.observe(func(m history.Mutation) error {
		if m.Kind == history.MutationReplaced {
			t.Errorf("replaced because of %q", m.Cause)
		}
		return nil
	})
	b.say(wordy(300))
	if b.fit(); !slices.Equal(b.names(), []string{"nothing to do"}) || b.CompressionCount() != 0 {
		t.Errorf("done %q", b.names())
	}
}

// TestCompressionIsReportedInTheProvidersTokens checks the unit of the reported sizes (D-09).
func TestCompressionIsReportedInTheProvidersTokens(t *testing.T) {
	t.Parallel()
	b := newBench(t, 2000)
	b.Observe("test-model", 100, window.ProviderReport{Prompt: 150})
	b.say("go")
	for i := range 6 {
		b.pair(fmt.Sprint(i), "read_file", fmt.Sprint(i), wordy(200))
	}
	before := b.Measure.Tokens()
	b.fit()
	done := told[window.Compression](b)
	if len(done) != 1 || done[0].TokensBefore != before || done[0].TokensAfter != b.Measure.Tokens() || done[0].Limit != 2000 || done[0].TokensBefore < 1800 {
		t.Errorf("told %+v, %d → %d tokens", done, before, b.Measure.Tokens())
	}
}

// TestAdditionsDuringACompression checks that entries which are added during a compression stay, in
// order, after its result.
func TestAdditionsDuringACompression(t *testing.T) {
	t.Parallel()
	b := newBench(t, 100_000)
	b.say("go")
	b.pair("a", "read_file", "a", wordy(300))
	b.say("now")
	b.add(history.New(history.AI, &history.Text{Text: "ok"}))
	b.strategies[compression.DefaultName] = slow{highDensity(t), func() { b.say("meanwhile") }}
	done, err := b.Compress(t.Context())
	if err != nil || !done.Applied {
		t.Fatalf("%+v, %v", done, err)
	}
	entries := b.History.RawHistory()
	if last := entries[len(entries)-1]; last.Text() != "meanwhile" || b.whole(wordy(300)) != 0 {
		t.Errorf("the last entry is %q", last.Text())
	}
}

// slow is a strategy that calls a function during its compression.
type slow struct {
	compression.Strategy
	during func()
}

func (s slow) Compress(ctx context.Context, c compression.Context) (compression.Result, error) {
	s.during()
	return s.Strategy.Compress(ctx, c)
}

// TestTargetBelowTrigger_D40 checks that the target is below the trigger for every valid context
// window.
func TestTargetBelowTrigger_D40(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		b := newBench(rt, rapid.IntRange(1000, 2_000_000).Draw(rt, "limit"))
		b.set(settings.MaxOutputTokens, rapid.IntRange(0, settings.ContextLimit.Value(b.settings)-1).Draw(rt, "output"))
		b.set(settings.CompressionThreshold, rapid.Float64Range(0.01, 1).Draw(rt, "threshold"))
		b.head.Tools = nil
		b.head.System = wordy(rapid.IntRange(0, max(0, min(10_000, b.Limits.CompressionThreshold(b.active())-10))).Draw(rt, "overhead"))
		b.Observe("test-model", 100, window.ProviderReport{Prompt: rapid.IntRange(50, 200).Draw(rt, "ratio")})
		b.say("go")
		spy := &compressSpy{Strategy: highDensity(rt)}
		b.strategies[compression.DefaultName] = spy
		if _, err := b.Compress(context.Background()); err != nil {
			rt.Fatal(err)
		}
		reserve, err := b.Limits.Reserve()
		trigger := b.Limits.CompressionThreshold(b.active())
		if err != nil || trigger > b.Limits.Size()-reserve || trigger != b.Usage().Threshold {
			rt.Errorf("trigger %d, %d without the reserve, %v", trigger, b.Limits.Size()-reserve, err)
		}
		if target := spy.given.Target(); target >= spy.given.Trigger() {
			rt.Errorf("target %d, trigger %d in our tokens", target, spy.given.Trigger())
		}
	})
}
