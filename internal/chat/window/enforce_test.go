package window_test

import (
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

// TestS07FallbackStepsAreReported covers D-29, D-30, D-42 and D-49. Density comes first, then the
// strategy, then the necessary fallback steps, in order. No step runs twice, and none after the one
// which was enough. Each is reported as a compression.
func TestS07FallbackStepsAreReported(t *testing.T) {
	t.Parallel()
	old := func(b *bench, results int) {
		for i := range results {
			b.pair(fmt.Sprint(i), "read_file", fmt.Sprint(i), wordy(200))
		}
	}
	top := "top-down-truncation"
	for _, tc := range []struct {
		name     string
		preserve float64
		strategy string
		fill     func(*bench)
		want     []string
	}{
		{"density is enough", 0.2, compression.DefaultName, func(b *bench) { old(b, 2) }, []string{"density"}},
		{"the strategy's own compression", 0.2, compression.DefaultName, func(b *bench) { old(b, 4) }, []string{"density", compression.DefaultName}},
		{"a shorter tail", 1, compression.DefaultName, func(b *bench) { old(b, 8) }, []string{"density", "nothing to do", "shorter tail"}},
		{"shorter results", 1, compression.DefaultName, func(b *bench) { b.pair("x", "read_file", "x", wordy(1200)) }, []string{"density", "nothing to do", "shorter tail", "cut new results"}},
		{"dropped turns", 1, compression.DefaultName, func(b *bench) {
			for range 3 {
				b.say(wordy(300))
				b.add(history.New(history.AI, &history.Text{Text: "noted"}))
			}
			b.say(wordy(790 - b.overhead() - 4))
		}, []string{"density", "nothing to do", "shorter tail", "drop oldest turns"}},
		{"another strategy", 0.2, top, func(b *bench) { old(b, 4) }, []string{top}},
		{"another strategy and high-density", 0.2, top, func(b *bench) {
			b.pair("0", "read_file", "0", wordy(500))
			b.add(history.New(history.AI, &history.Text{Text: "and the same again"}))
			b.pair("1", "read_file", "1", wordy(450))
		}, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, 1000)
			b.set(settings.MaxOutputTokens, 200)
			b.set(settings.CompressionThreshold, 1)
			b.set(settings.CompressionPreserveThreshold, tc.preserve)
			b.set(settings.CompressionStrategy, tc.strategy)
			b.say("go")
			b.pair("s", "read_file", "stale", wordy(600))
			b.pair("t", "write_file", "stale", "written")
			tc.fill(b)
			b.fit()
			if got := b.names(); tc.want != nil && !slices.Equal(got, tc.want) {
				t.Errorf("done %q, want %q", got, tc.want)
			}
			applied := 0
			for _, c := range told[window.Compression](b) {
				if c.Applied {
					applied++
				}
				if c.Applied && c.TokensAfter >= c.TokensBefore || c.Strategy != tc.strategy || c.Limit != 1000 {
					t.Errorf("told %+v", c)
				}
			}
			if b.CompressionCount() != applied {
				t.Errorf("D-49: %d compressions counted, %d told", b.CompressionCount(), applied)
			}
		})
	}
}

// TestFallbackStartsFromTheTail_D42 checks that if the tail alone is too large, the fallback step
// halves the tail of the compression, not a share of the remaining entries.
func TestFallbackStartsFromTheTail_D42(t *testing.T) {
	t.Parallel()
	b := newBench(t, 128_000)
	b.say("work")
	for i := range 200 {
		b.pair(fmt.Sprint(i), "read_file", fmt.Sprint(i), wordy(4000))
	}
	b.fit()
	// A fifth of 401 entries contains 41 results, too many for the window. Half of them fits.
	if got := b.whole(wordy(4000)); got < 20 || !slices.Equal(b.names(), []string{compression.DefaultName, "shorter tail"}) {
		t.Errorf("%d results are left after %q", got, b.names())
	}
}

// TestUnseenResultReachesTheModel_D41 checks that the model receives part of a result of any size.
// Results that it has already read are removed first.
func TestUnseenResultReachesTheModel_D41(t *testing.T) {
	t.Parallel()
	for _, limit := range []int{4096, 8192, 16_000} {
		b := newBench(t, limit)
		b.say("read it")
		b.pair("1", "read_file", "small", wordy(100))
		for i := range 3 {
			b.pair(fmt.Sprint(i), "read_file", "huge", strings.Repeat("line of the file\n", limit))
			b.fit()
			got := b.results()
			newest := got[len(got)-1]
			if !strings.HasPrefix(newest, "line of the file\nline of") || !strings.Contains(newest, "read a range") {
				t.Errorf("window %d, read %d: the model is shown %.80q", limit, i, newest)
			}
			if shown := (words{}).Count(newest); shown < limit/4 {
				t.Errorf("window %d: %d tokens of it", limit, shown)
			}
		}
	}
}

// TestD30WhatCannotFit checks that the error contains the numbers, and that no entry is lost.
func TestD30WhatCannotFit(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name            string
		system, message int
	}{
		{"the system prompt is larger than the window", 2000, 1},
		{"both together", 1000, 500},
	} {
		b := newBench(t, 1500)
		b.head.System = wordy(tc.system)
		b.say("before")
		for i := range 5 {
			b.pair(fmt.Sprint(i), "read_file", fmt.Sprint(i), wordy(300))
		}
		b.say(wordy(tc.message))
		before := b.History.RawHistory()
		err := b.tryFit()
		var overflow *compression.ContextOverflowError
		if !errors.As(err, &overflow) {
			t.Fatalf("%s: %v", tc.name, err)
		}
		if want := (compression.ContextOverflowError{Overhead: b.overhead(), Message: tc.message + 4, Reserve: 1500 / 4, Limit: 1500}); *overflow != want {
			t.Errorf("%s: told %+v, want %+v", tc.name, *overflow, want)
		}
		if !slices.Equal(before, b.History.RawHistory()) || len(b.names()) != 0 {
			t.Errorf("%s: done %q all the same", tc.name, b.names())
		}
	}
}

// TestOverflowIsReportedInTheProvidersTokens checks the numbers of the error for a model that counts
// twice as many tokens. They have the same unit as the settings (D-09).
func TestOverflowIsReportedInTheProvidersTokens(t *testing.T) {
	t.Parallel()
	b := newBench(t, 1000)
	b.Observe("test-model", 100, window.ProviderReport{Prompt: 200})
	b.head.System = wordy(400)
	b.say(wordy(46))
	err := b.tryFit()
	var overflow *compression.ContextOverflowError
	if !errors.As(err, &overflow) {
		t.Fatal(err)
	}
	if want := (compression.ContextOverflowError{Overhead: 2 * b.overhead(), Message: 100, Reserve: 250, Limit: 1000}); *overflow != want {
		t.Errorf("told %+v, want %+v", *overflow, want)
	}
}

// TestIncludedFilesMayGo_D47 checks that a file in an old message is removed before messages are.
// Such a file never makes a request impossible.
func TestIncludedFilesMayGo_D47(t *testing.T) {
	t.Parallel()
	b := newBench(t, 32_000)
	b.add(history.New(history.Human, &history.Text{Text: "look at this"}, history.NewInclusion("spec.md", wordy(20_000))))
	b.fit()
	for i := range 12 {
		b.pair(fmt.Sprint(i), "read_file", fmt.Sprint(i), wordy(1000))
		b.fit()
	}
	first := b.History.RawHistory()[0].Text()
	if !strings.HasPrefix(first, "look at this\n[spec.md: removed to fit the context limit") {
		t.Errorf("the first message is %.80q", first)
	}
	if b.whole(wordy(1000)) < 4 {
		t.Errorf("only %d results are left", b.whole(wordy(1000)))
	}
	// The context window of another model is smaller than the file.
	b.set(settings.ContextLimit, 8192)
	b.fit()
}

// TestLimitHoldsForEveryRatio checks that scaling and its inverse never round a request above the
// limit (D-09).
func TestLimitHoldsForEveryRatio(t *testing.T) {
	t.Parallel()
	for reported := 500; reported <= 2000; reported += 29 {
		b := newBench(t, 1009)
		b.set(settings.CompressionThreshold, 1)
		b.set(settings.MaxOutputTokens, 501+reported%13)
		b.Observe("test-model", 1000, window.ProviderReport{Prompt: reported})
		for range 500 {
			b.say("w")
		}
		b.fit()
	}
}

// TestAnyWindow checks random conversations, context windows and settings. The request fits and is
// valid, or the error states that it can't fit (D-30, D-32).
func TestAnyWindow(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		b := newBench(rt, rapid.SampledFrom([]int{1000, 4096, 32_000}).Draw(rt, "limit"))
		b.set(settings.CompressionStrategy, rapid.SampledFrom(compression.Names()).Draw(rt, "strategy"))
		b.set(settings.CompressionThreshold, rapid.SampledFrom([]float64{0, 0.2, 1}).Draw(rt, "threshold"))
		b.set(settings.CompressionPreserveThreshold, rapid.SampledFrom([]float64{0, 0.2, 1}).Draw(rt, "preserve"))
		b.set(settings.MaxOutputTokens, rapid.SampledFrom([]int{0, 10, 800}).Draw(rt, "output"))
		b.set(settings.CompressionTopPreserveThreshold, rapid.SampledFrom([]float64{0, 0.2, 1}).Draw(rt, "top"))
		b.summary = "<state_snapshot>" + wordy(rapid.SampledFrom([]int{0, 5, 500}).Draw(rt, "summary")) + "</state_snapshot>"
		for i := range rapid.IntRange(1, 30).Draw(rt, "steps") {
			size := rapid.SampledFrom([]int{1, 20, 300, 3000}).Draw(rt, "size")
			switch rapid.IntRange(0, 5).Draw(rt, "step") {
			case 0:
				b.say(wordy(min(size, 300)))
			case 1:
				b.add(history.New(history.Human, &history.Text{Text: "see"}, history.NewInclusion("f", wordy(size))))
			case 2:
				b.pair(fmt.Sprint(i%3), "write_file", fmt.Sprint(i%5), "written")
			case 3:
				b.Observe("test-model", 100, window.ProviderReport{Prompt: rapid.IntRange(50, 200).Draw(rt, "ratio")})
			default:
				b.pair(fmt.Sprint(i%3), "read_file", fmt.Sprint(i%5), wordy(size))
			}
			var overflow *compression.ContextOverflowError
			err := b.tryFit()
			var useless *compression.SummaryError
			if errors.As(err, &useless) {
				continue // no request is sent
			}
			if err != nil && !errors.As(err, &overflow) {
				rt.Fatal(err)
			}
			if reserve, _ := b.Limits.Reserve(); err == nil && b.Measure.Tokens()+reserve > b.Limits.Size() {
				rt.Errorf("%d tokens and a reserve of %d in a window of %d", b.Measure.Tokens(), reserve, b.Limits.Size())
			}
			if overflow != nil && overflow.Overhead+overflow.Message+overflow.Reserve <= overflow.Limit {
				rt.Errorf("refused although it fits: %v", overflow)
			}
			// Compressing again without new entries does nothing (D-43).
			if err == nil {
				if again, err := b.Compress(rt.Context()); errors.As(err, &useless) {
					continue
				} else if err != nil {
					rt.Fatal(err)
				} else if once := b.Measure.Estimate(); again.Applied {
					if twice, _ := b.Compress(rt.Context()); twice.Applied {
						rt.Errorf("D-43: %d, %d, %d tokens", again.TokensBefore, once, b.Measure.Estimate())
					}
				}
			}
		}
	})
}
