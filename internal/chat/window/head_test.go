package window_test

import (
	"fmt"
	"slices"
	"testing"

	"agent/internal/chat/window"
	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/settings"
)

// headOf returns a function that makes a system prompt of usual or lean tokens, plus up to more
// tokens that can be omitted. It records each argument small.
func headOf(usual, lean, more int, asked *[]bool) window.HeadMaker {
	return func(small bool, fits func(window.Head) bool) window.Head {
		*asked = append(*asked, small)
		size, tools := usual, []llm.ToolSpec{{Name: "read"}, {Name: "extra"}}
		if small {
			size, tools = lean, tools[:1]
		}
		head := window.Head{Tools: tools}
		for n := more; ; n-- {
			head.System, head.Cut = wordy(size-len(tools)+n), n < more
			if n == 0 || fits(head) {
				return head
			}
		}
	}
}

// TestTheHeadFitsTheWindow checks that system prompt and tools use at most a third of the context
// window. Parts that can be omitted are omitted. A small window, or a system prompt that is too
// large, gets the lean version. Each of these is reported once.
func TestTheHeadFitsTheWindow(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		limit, usual, lean, more int
		want                     int // tokens
		wantLean, cut            bool
	}{
		{128_000, 2400, 1100, 0, 2400, false, false},
		{8192, 2400, 1100, 0, 2400, false, false},
		{8192, 2400, 1100, 330, 2730, false, false},
		{8192, 2400, 1100, 400, 2730, false, true},
		{8191, 2400, 1100, 0, 1100, true, false},
		{8192, 2800, 1100, 0, 1100, true, false},
		{4096, 2400, 1100, 100, 1200, true, false},
		{4096, 2400, 1100, 1000, 1365, true, true},
		{3000, 2400, 1100, 1000, 1100, true, true},
	} {
		t.Run(fmt.Sprintf("%+v", tc), func(t *testing.T) {
			t.Parallel()
			var asked []bool
			b := newBench(t, tc.limit)
			b.makeHead = headOf(tc.usual, tc.lean, tc.more, &asked)
			b.say("hi")
			b.fit()
			b.fit()
			head := b.Window.Head()
			if got := b.overhead(); got != tc.want || head.Cut != tc.cut || len(head.Tools) == 1 != tc.wantLean {
				t.Errorf("%d tokens, cut %t, %d tools", got, head.Cut, len(head.Tools))
			}
			if len(asked) > 2 {
				t.Errorf("the head was made %d times", len(asked))
			}
			chosen := told[window.HeadChosen](b)
			if !tc.wantLean && !tc.cut {
				if len(chosen) != 0 {
					t.Errorf("told %+v", chosen)
				}
				return
			}
			if len(chosen) != 1 {
				t.Fatalf("told %+v", chosen)
			}
			if c := chosen[0]; c.Lean != tc.wantLean || c.Cut != tc.cut || c.Tokens != tc.want || c.Limit != tc.limit || len(c.Tools) != len(head.Tools) || c.Tools[0] != "read" {
				t.Errorf("told %+v", c)
			}
		})
	}
}

// TestTheHeadFollowsTheWindow checks that another context window gets a suitable system prompt,
// which is reported. Any other change keeps the system prompt.
func TestTheHeadFollowsTheWindow(t *testing.T) {
	t.Parallel()
	var asked []bool
	b := newBench(t, 32_000)
	b.makeHead = headOf(2400, 1100, 0, &asked)
	var lean []bool
	for _, limit := range []int{32_000, 4096, 4096, 64_000, 32_000} {
		b.set(settings.ContextLimit, limit)
		b.say("hi")
		b.Observe("test-model", 100, window.ProviderReport{Prompt: 120})
		b.fit()
		lean = append(lean, len(b.Window.Head().Tools) == 1)
	}
	if want := []bool{false, true, true, false, false}; !slices.Equal(lean, want) {
		t.Errorf("lean %v, want %v", lean, want)
	}
	if got := told[window.HeadChosen](b); len(got) != 2 || !got[0].Lean || got[1].Lean || got[1].Cut {
		t.Errorf("told %+v", got)
	}
}

// TestCountersCountTheHead checks that another model's vocabulary counts the system prompt and the
// history again, once.
func TestCountersCountTheHead(t *testing.T) {
	t.Parallel()
	b := newBench(t, 32_000)
	b.say("hi there")
	first := b.Measure.Tokens()
	b.models.counter = func(string) history.Counter { return letters{} }
	if got := b.Measure.Tokens(); got == first || got != b.Usage().Total() {
		t.Errorf("%d tokens, %d by the old vocabulary, %d by kind", got, first, b.Usage().Total())
	}
}
