package window_test

import (
	"strings"
	"testing"

	"agent/internal/chat/window"
	"agent/internal/compression"
	"agent/internal/history"
	"agent/internal/settings"
)

// TestReserve_D08 checks the reserve for the reply (D-08).
func TestReserve_D08(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ limit, output, want int }{
		{4000, 0, 1000},
		{65_536, 0, 16_384},
		{200_000, 0, 16_384},
		{4000, 3999, 3999},
	} {
		b := newBench(t, tc.limit)
		b.set(settings.MaxOutputTokens, tc.output)
		if got, err := b.Limits.Reserve(); err != nil || got != tc.want || b.Usage().Reserve != tc.want {
			t.Errorf("window %d, output %d: reserve %d, %v", tc.limit, tc.output, got, err)
		}
	}
	b := newBench(t, 4000)
	b.set(settings.MaxOutputTokens, 4000)
	if _, err := b.Limits.Reserve(); err == nil || !strings.Contains(err.Error(), "must be below") {
		t.Errorf("a reserve of the whole window: %v", err)
	}
}

// TestOutputLimit_D41 checks the limit of a result. It is a quarter of the available tokens, or
// less if the setting is lower. Without a lower setting it is always enough to continue.
func TestOutputLimit_D41(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ limit, output, setting, overhead, want int }{
		{1000, 0, 16_000, 100, 500},
		{4096, 0, 16_000, 1000, 518},
		{8192, 0, 16_000, 2400, 936},
		{16_000, 0, 16_000, 2400, 2400},
		{32_000, 0, 16_000, 2400, 5400},
		{128_000, 0, 16_000, 2400, 16_000},
		{128_000, 100_000, 16_000, 2400, 6400},
		{128_000, 0, 2000, 2400, 2000},
		{128_000, 0, 200, 2400, 200},
	} {
		b := newBench(t, tc.limit)
		b.set(settings.MaxOutputTokens, tc.output)
		b.set(settings.ToolOutputMaxTokens, tc.setting)
		b.head.System, b.head.Tools = wordy(tc.overhead), nil
		if got := b.Measure.OutputLimit(); got != tc.want {
			t.Errorf("%+v: %d tokens", tc, got)
		}
	}
	// Tools measure by our own count. The limit is half as large for a provider that counts double.
	b := newBench(t, 32_000)
	b.head.System, b.head.Tools = wordy(2000), nil
	b.Observe("test-model", 100, window.ProviderReport{Prompt: 200})
	if got := b.Measure.OutputLimit(); got != (12_000-2000)/4 {
		t.Errorf("%d tokens", got)
	}
}

// TestSizeSources checks the order of the sources of the context limit: the setting, the known
// limit, the default.
func TestSizeSources(t *testing.T) {
	t.Parallel()
	b := newBench(t, 0)
	if got := b.Limits.Size(); got != window.DefaultLimit {
		t.Errorf("assumed %d", got)
	}
	b.models.limit = func(model string) (int, bool) { return 32_000, model == "test-model" }
	if got := b.Limits.Size(); got != 32_000 {
		t.Errorf("known %d", got)
	}
	b.set(settings.ContextLimit, 9000)
	if got := b.Limits.Size(); got != 9000 {
		t.Errorf("set %d", got)
	}
}

// TestRefused_S12 checks the limit after a refusal (S-12). If the provider names a context window,
// it is the limit of this model until the user sets another one. Otherwise the limit is safely
// below the refused size.
func TestRefused_S12(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		named func(refused int) int
		sent  int
		// want is the limit, told the reported refused size.
		want, told func(refused int) int
	}{
		{"no size", func(int) int { return 0 }, 0, func(n int) int { return n - n/10 }, func(n int) int { return n }},
		{"a smaller size", func(int) int { return 600 }, 0, func(int) int { return 600 }, func(n int) int { return n }},
		{"a larger size", func(n int) int { return n * 3 / 2 }, 0, func(n int) int { return n * 3 / 2 }, func(n int) int { return n * 3 / 2 }},
		{"a larger size, and what was sent", func(int) int { return 3000 }, 3100, func(int) int { return 3000 }, func(int) int { return 3100 }},
		{"a window far larger than our count", func(int) int { return 100_000 }, 0, func(n int) int { return 2*n - 2*n/10 }, func(int) int { return 100_000 }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, 0)
			b.say("go")
			for _, id := range []string{"a", "b", "c", "d", "e"} {
				b.pair(id, "read_file", id, wordy(300))
			}
			b.fit()
			refused := b.Measure.Tokens()
			b.RecordRefusal(tc.named(refused), tc.sent)
			want := tc.want(refused)
			if got := told[window.Refusal](b); len(got) != 1 || got[0] != (window.Refusal{Tokens: tc.told(refused), Limit: want}) || b.Limits.Size() != want {
				t.Errorf("told %+v of %d, limit %d, want %d", got, refused, b.Limits.Size(), want)
			}
			b.fit()
			if got := b.Measure.Estimate(); got >= refused {
				t.Errorf("the next request has %d tokens by our count, and %d were refused", got, refused)
			}
			b.set(settings.Model, "another")
			if got := b.Limits.Size(); got != window.DefaultLimit {
				t.Errorf("the limit of another model became %d", got)
			}
			b.set(settings.Model, "test-model")
			b.set(settings.ContextLimit, 50_000)
			if got := b.Limits.Size(); got != 50_000 {
				t.Errorf("limit %d after it was set to 50000", got)
			}
			// A learned limit never makes a context window larger than its known size.
			b.set(settings.ContextLimit, 0)
			b.models.limit = func(string) (int, bool) { return 500, true }
			if got := b.Limits.Size(); got != 500 {
				t.Errorf("limit %d of a model with 500", got)
			}
		})
	}
}

// TestTheHeadIsCounted covers D-07. The total includes the system prompt and the tool schemas,
// which are fixed and counted once.
func TestTheHeadIsCounted(t *testing.T) {
	t.Parallel()
	b := newBench(t, 1000)
	asked := 0
	head := b.head
	head.System = wordy(700)
	b.makeHead = func(bool, func(window.Head) bool) window.Head { asked++; return head }
	b.set(settings.CompressionThreshold, 0.7)
	if got := b.Measure.Tokens(); got != 702 {
		t.Errorf("%d tokens before the first message, want %d", got, 702)
	}
	for range 2 {
		b.say("hi")
		b.fit()
	}
	if len(told[window.Compression](b)) == 0 {
		t.Errorf("the head alone is over the threshold; compression was due")
	}
	if got := b.Window.Head(); asked != 1 || got.System != head.System || len(got.Tools) != 1 {
		t.Errorf("the head was made %d times", asked)
	}
	b.models.counter = func(string) history.Counter { return letters{} }
	if got := b.overhead(); got <= 702 {
		t.Errorf("the head counts %d for the new model", got)
	}
}

// TestUsageAddsUp checks that the parts add up to the size of the next request, with any rounding
// of the calibration. The reported threshold is the value that triggers compression.
func TestUsageAddsUp(t *testing.T) {
	t.Parallel()
	b := newBench(t, 32_000)
	b.set(settings.CompressionThreshold, 0.9)
	b.say(wordy(7))
	b.add(history.New(history.AI, &history.Text{Text: wordy(5)}, &history.Thinking{Thought: wordy(9)}), history.New(history.AI))
	b.pair("a", "read_file", "a", wordy(31))
	for _, reported := range []int{100, 137, 61, 173, 50} {
		b.Observe("test-model", 100, window.ProviderReport{Prompt: reported, Cached: 7})
		u := b.Usage()
		if u.Total() != b.Measure.Tokens() || u.Prompt != reported || u.Cached != 7 {
			t.Errorf("ratio %d%%: parts %d, total %d, %+v", reported, u.Total(), b.Measure.Tokens(), u)
		}
		for _, part := range []int{u.System, u.Tools, u.Human, u.AI, u.Calls, u.Results} {
			if part <= 0 {
				t.Errorf("a part of nothing: %+v", u)
			}
		}
	}
	if u := b.Usage(); u.Limit != 32_000 || u.Wanted != 28_800 || u.Threshold != 24_000 || u.Reserve != 8000 {
		t.Errorf("%+v", u)
	}
	if b.Reset(); b.Usage().Prompt != 0 || b.Usage().Cached != 0 {
		t.Errorf("after a reset %+v", b.Usage())
	}
}

// TestNoOpIsReportedOnce checks that a compression without effect is reported once for each reason
// (D-28).
func TestNoOpIsReportedOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t, 1000)
	b.set(settings.CompressionThreshold, 0.5)
	step := func(want ...string) {
		t.Helper()
		b.fit()
		if got := b.names(); strings.Join(got, ",") != strings.Join(want, ",") {
			t.Errorf("told %q, want %q", got, want)
		}
	}
	const noop, done = "nothing to do", compression.DefaultName
	b.say(wordy(600))
	step(noop)
	step(noop)
	b.say("and")
	step(noop, noop) // another reason
	step(noop, noop)
	if err := b.History.Clear(); err != nil {
		t.Fatal(err)
	}
	b.say("go")
	for _, id := range []string{"a", "b", "c"} {
		b.pair(id, "read_file", id, wordy(200))
	}
	step(noop, noop, done)
	if err := b.History.Clear(); err != nil {
		t.Fatal(err)
	}
	b.say(wordy(600))
	b.say("and")
	step(noop, noop, done, noop) // the same reason, but a compression happened in between
}

// If the context window is set, Limit does not query the endpoint, which could block.
func TestSizeThatIsSet(t *testing.T) {
	t.Parallel()
	b := newBench(t, 4000)
	b.models.limit = func(string) (int, bool) { t.Error("the endpoint was asked"); return 0, false }
	if got := b.Limits.Size(); got != 4000 {
		t.Errorf("a window of %d tokens", got)
	}
}
