package chat

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"agent/internal/chat/window"
	"agent/internal/compression"
	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/settings"
)

// rungs returns what the user reads of a reduction, in order: "density",
// "compression" and the names of the ladder's rungs.
func (b *bench) rungs() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var told []string
	for _, e := range b.events {
		switch e := e.(type) {
		case DensityApplied:
			told = append(told, "density")
		case Compressed:
			told = append(told, "compression")
		case Notice:
			if rung, ok := strings.CutPrefix(e.Text, "context limit: "); ok {
				name, _, _ := strings.Cut(rung, ",")
				told = append(told, name)
			}
		}
	}
	return told
}

// TestS07TheLadderIsToldRungByRung covers D-29 and D-30: density first, then each
// rung that was needed, in order, and none after the one that sufficed.
func TestS07TheLadderIsToldRungByRung(t *testing.T) {
	t.Parallel()
	old := func(b *bench, results int) {
		for i := range results {
			b.pair(fmt.Sprint(i), "read_file", fmt.Sprint(i), wordy(200))
		}
	}
	for _, tc := range []struct {
		name     string
		preserve string
		fill     func(*bench)
		want     []string
	}{
		{"density is enough", "0.2", func(b *bench) { old(b, 2) }, []string{"density"}},
		{"the strategy's own compression", "0.2", func(b *bench) { old(b, 4) }, []string{"density", "compress"}},
		// From here on the total reaches the threshold as well, so that the strategy
		// has its turn before the ladder.
		{"the threshold comes first", "0.2", func(b *bench) { old(b, 8) }, []string{"density", "compression"}},
		{"a shorter tail", "1", func(b *bench) { old(b, 8) }, []string{"density", "compression", "shorter tail"}},
		{"shorter results", "1", func(b *bench) {
			b.pair("x", "read_file", "x", wordy(1200))
		}, []string{"density", "compression", "shorter tail", "shorten large results"}},
		{"dropped turns", "1", func(b *bench) {
			for range 3 {
				b.record(history.HumanText(wordy(300)))
				b.record(history.New(history.AI, &history.Text{Text: "noted"}))
			}
			b.record(history.HumanText(wordy(790 - b.overhead() - 4)))
		}, []string{"density", "compression", "shorter tail", "drop oldest turns"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.set("context-limit", "1000")
			b.set("max-output-tokens", "200")
			b.set("compression.threshold", "1")
			b.set("compression.preserveThreshold", tc.preserve)
			b.record(history.HumanText("go"))
			b.pair("s", "read_file", "stale", wordy(600))
			b.pair("t", "write_file", "stale", "written")
			tc.fill(b)
			if _, err := b.prepare(); err != nil {
				t.Fatal(err)
			}
			if got := b.rungs(); !slices.Equal(got, tc.want) {
				t.Errorf("told %q, want %q", got, tc.want)
			}
			if b.window.Tokens()+200 > 1000 {
				t.Errorf("%d tokens and a reserve of 200 in a window of 1000", b.window.Tokens())
			}
		})
	}
}

// TestEmergencyOptimises_REQ_HD_002_8 covers REQ-HD-002.8: at the hard limit density
// runs once more, although nothing was added since it last did.
func TestEmergencyOptimises_REQ_HD_002_8(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.set("compression.threshold", "1")
	b.set(settings.DensityKey("readWritePruning"), "false")
	b.record(history.HumanText("go"))
	b.pair("r", "read_file", "a", wordy(2000))
	b.pair("w", "write_file", "a", "written")
	if _, err := b.prepare(); err != nil || len(b.rungs()) != 0 {
		t.Fatalf("%v, told %q", err, b.rungs())
	}
	b.set(settings.DensityKey("readWritePruning"), "true")
	b.set("context-limit", "2100")
	if _, err := b.prepare(); err != nil {
		t.Fatal(err)
	}
	if got := b.rungs(); !slices.Equal(got, []string{"density"}) {
		t.Errorf("told %q; density alone would do", got)
	}
	if stats := b.figures(); stats.Compressions != 0 {
		t.Errorf("%d compressions counted, none was needed", stats.Compressions)
	}
}

// TestLadderTellsWhatFailed: at the hard limit a strategy that fails is told, and
// the next rung does its work (D-30).
func TestLadderTellsWhatFailed(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.set("context-limit", "1000")
	b.record(history.HumanText("go"))
	for i := range 5 {
		b.pair(fmt.Sprint(i), "read_file", fmt.Sprint(i), wordy(180))
	}
	if err := b.window.EnforceLimit(t.Context(), failingCompress{highDensity(t), errors.New("no answer")}); err != nil {
		t.Fatal(err)
	}
	told := seen[Notice](b)
	if len(told) != 2 || told[0].Text != "context limit: compress failed (no answer), going on with the next step" ||
		!strings.HasPrefix(told[1].Text, "context limit: high-density compress, 1k → ") {
		t.Errorf("told %v", told)
	}
	if b.window.Tokens() > 750 {
		t.Errorf("%d tokens", b.window.Tokens())
	}
}

// TestD30WhatCannotFit: the error says the numbers, nothing is sent, nothing is
// lost, and the advice helps.
func TestD30WhatCannotFit(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name            string
		system, message int
		limit           string
	}{
		{"the system prompt is larger than the window", 2000, 1, "1500"},
		{"the message is larger than the window", 3, 2000, "1500"},
		{"both together", 900, 500, "1500"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, say("ok"))
			b.System = func() string { return wordy(tc.system) }
			b.set("context-limit", tc.limit)
			b.pair("a", "read_file", "a", wordy(50))
			out, err := b.prompt(wordy(tc.message))
			var overflow *compression.ContextOverflowError
			if !errors.As(err, &overflow) || out.Stop != StopFailed || len(b.model.requests) != 0 {
				t.Fatalf("%+v %v", out, err)
			}
			want := compression.ContextOverflowError{Overhead: b.overhead(), Message: tc.message + 4, Reserve: 1500 / 4, Limit: 1500}
			if *overflow != want {
				t.Errorf("told %+v, want %+v", *overflow, want)
			}
			raw := b.History.RawHistory()
			if got := raw[len(raw)-1].Text(); got != wordy(tc.message) {
				t.Errorf("the message is not kept: %.40q", got)
			}
			b.set("context-limit", "9000")
			if _, err := b.work(context.Background(), b.converse); err != nil {
				t.Errorf("the advice does not help: %v", err)
			}
		})
	}
}

// TestOverflowIsToldInTheProvidersTokens: with a model that counts twice what we do,
// the numbers of the error are those the settings mean (D-09).
func TestOverflowIsToldInTheProvidersTokens(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.set("context-limit", "1000")
	b.window.Observe("test-model", 100, window.Reported{Prompt: 200})
	_, err := b.prompt(wordy(446))
	var overflow *compression.ContextOverflowError
	if !errors.As(err, &overflow) {
		t.Fatal(err)
	}
	want := compression.ContextOverflowError{Overhead: 2 * b.overhead(), Message: 900, Reserve: 250, Limit: 1000}
	if *overflow != want {
		t.Errorf("told %+v, want %+v", *overflow, want)
	}
}

// TestD30SmallWindow: a limit of 1 000 tokens works.
func TestD30SmallWindow(t *testing.T) {
	t.Parallel()
	var turns []answerFunc
	for i := range 20 {
		turns = append(turns, calls("read_file", fmt.Sprintf(`{"file_path":"%d"}`, i)))
	}
	b := newBench(t, append(turns, say("done"))...)
	b.set("context-limit", "1000")
	if out, err := b.prompt("read all"); err != nil || out.Response != "done" {
		t.Fatalf("%+v %v", out, err)
	}
	for n, r := range b.model.requests {
		if total := b.overhead() + size(b, r) + 250; total > 1000 {
			t.Errorf("request %d takes %d tokens with its reserve", n, total)
		}
	}
}

// TestD30HistoryStartingWithAToolResponse: a recording that starts so is repaired
// when it is taken up; an entry that got in otherwise is named and not sent (D-32).
func TestD30HistoryStartingWithAToolResponse(t *testing.T) {
	t.Parallel()
	orphan := history.New(history.Tool, &history.ToolResponse{CallID: "gone", ToolName: "read_file", Result: history.TextResult(wordy(2000))})
	call := history.New(history.AI, &history.ToolCall{ID: "open", Name: "read_file", Parameters: []byte(`{}`)})
	t.Run("restored", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, say("ok"))
		b.set("context-limit", "1000")
		if err := b.resume([]*history.Content{orphan, history.HumanText("hi"), call}, nil); err != nil {
			t.Fatal(err)
		}
		if out, err := b.prompt("go on"); err != nil || out.Response != "ok" {
			t.Fatalf("%+v %v", out, err)
		}
		if r := b.responses(); len(r) != 1 || r[0].CallID != "open" || r[0].Error == "" {
			t.Errorf("responses %+v", r)
		}
	})
	t.Run("recorded", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, say("never"))
		b.record(orphan)
		_, err := b.Prompt(context.Background(), "go on")
		var broken *history.InvalidHistoryError
		if !errors.As(err, &broken) || broken.Violations[0].Entry != 0 || len(b.model.requests) != 0 {
			t.Fatalf("%v, %d requests", err, len(b.model.requests))
		}
	})
}

// TestTheHeadIsCounted covers D-07: the system prompt and the tool schemas are part
// of the total, and are fixed and counted once.
func TestTheHeadIsCounted(t *testing.T) {
	t.Parallel()
	b := newBench(t, say("ok"), say("ok"))
	asked := 0
	b.System = func() string { asked++; return wordy(700) }
	b.set("context-limit", "1000")
	b.set("compression.threshold", "0.7")
	head := 700
	for _, tool := range b.Tools.All() {
		head += words{}.Count(tool.Name + tool.Description + string(tool.Schema))
	}
	if got := b.window.Tokens(); got != head {
		t.Errorf("%d tokens before the first message, want %d", got, head)
	}
	for range 2 {
		if _, err := b.prompt("hi"); err != nil {
			t.Fatal(err)
		}
	}
	if len(seen[Compressed](b)) == 0 {
		t.Errorf("the head alone is over the threshold; compression was due")
	}
	if asked != 1 || b.model.requests[0].System != wordy(700) || len(b.model.requests[1].Tools) != len(b.Tools.All()) {
		t.Errorf("the head was made %d times", asked)
	}
	b.window.Counter = func(string) history.Counter { return letters{} }
	if got := b.overhead(); got <= head {
		t.Errorf("the head counts %d for the new model, %d for the old", got, head)
	}
}

// TestReserve covers D-08.
func TestReserve_D08(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		limit, output string
		want          int
	}{
		{"4000", "", 1000},
		{"200000", "", 16_384},
		{"4000", "3999", 3999},
	} {
		b := newBench(t)
		b.set("context-limit", tc.limit)
		if tc.output != "" {
			b.set("max-output-tokens", tc.output)
		}
		if got, err := b.window.Reserve(); err != nil || got != tc.want {
			t.Errorf("window %s, output %s: reserve %d, %v", tc.limit, tc.output, got, err)
		}
	}
	b := newBench(t)
	b.set("context-limit", "4000")
	b.set("max-output-tokens", "4000")
	if _, err := b.window.Reserve(); err == nil || !strings.Contains(err.Error(), "leaves no room") {
		t.Errorf("a reserve of the whole window: %v", err)
	}
}

// TestLimitHoldsForEveryRatio: scaling and its inverse never round a request over
// the limit (D-09).
func TestLimitHoldsForEveryRatio(t *testing.T) {
	t.Parallel()
	for reported := 500; reported <= 2000; reported += 7 {
		b := newBench(t)
		b.set("context-limit", "1009")
		b.set("compression.threshold", "1")
		// More than what a compression leaves free, so that the ladder goes to the brim.
		b.set("max-output-tokens", fmt.Sprint(501+reported%13))
		b.window.Observe("test-model", 1000, window.Reported{Prompt: reported})
		for range 500 {
			b.record(history.HumanText("w"))
		}
		if _, err := b.prepare(); err != nil {
			t.Fatal(err)
		}
		if reserve, _ := b.window.Reserve(); b.window.Tokens()+reserve > 1009 {
			t.Errorf("ratio %d‰: %d tokens with a reserve of %d in a window of 1009", reported, b.window.Tokens(), reserve)
		}
	}
}

// TestHardLimitIsExact: what fills the window to the last token is sent as it is,
// one more is not (D-08).
func TestHardLimitIsExact(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		more int
		want bool
	}{{0, false}, {1, true}} {
		b := newBench(t)
		b.set("context-limit", "1000")
		b.set("max-output-tokens", "200")
		b.set("compression.threshold", "1")
		b.record(history.HumanText("go"))
		b.pair("a", "read_file", "a", wordy(500))
		b.record(history.HumanText(wordy(800 - b.window.Tokens() - 4 + tc.more)))
		if _, err := b.prepare(); err != nil {
			t.Fatal(err)
		}
		if got := len(b.rungs()) > 0; got != tc.want {
			t.Errorf("%d over: reduced %v", tc.more, got)
		}
	}
}

// TestLearnedLimit: what a provider refused is the limit from then on, for this
// model, until somebody sets another (S-12).
func TestLearnedLimit(t *testing.T) {
	t.Parallel()
	overflow := &llm.Error{Kind: llm.ContextOverflow, Message: "too long"}
	b := newBench(t, fail(overflow), say("ok"), say("ok"))
	b.record(history.HumanText("go"))
	for i := range 5 {
		b.pair(fmt.Sprint(i), "read_file", fmt.Sprint(i), wordy(300))
	}
	if _, err := b.prompt("hi"); err != nil {
		t.Fatal(err)
	}
	refused := b.overhead() + size(b, b.model.requests[0])
	if got := b.window.Size(); got != refused {
		t.Errorf("limit %d, the model refused %d", got, refused)
	}
	if total := b.overhead() + size(b, b.model.requests[1]); total+refused/4 > refused {
		t.Errorf("sent %d tokens after the refusal of %d", total, refused)
	}
	b.set("model", "another")
	if got := b.window.Size(); got != window.DefaultLimit {
		t.Errorf("the limit of another model became %d", got)
	}
	b.set("model", "test-model")
	b.set("context-limit", "50000")
	if got := b.window.Size(); got != 50_000 {
		t.Errorf("limit %d after it was set to 50000", got)
	}
}

// TestContextLimitSources: set, known, assumed, in this order.
func TestContextLimitSources(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	if got := b.window.Size(); got != window.DefaultLimit {
		t.Errorf("assumed %d", got)
	}
	b.window.Limit = func(model string) (int, bool) { return 32_000, model == "test-model" }
	if got := b.window.Size(); got != 32_000 {
		t.Errorf("known %d", got)
	}
	b.set("context-limit", "9000")
	if got := b.window.Size(); got != 9000 {
		t.Errorf("set %d", got)
	}
}
