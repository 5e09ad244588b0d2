package chat

import (
	"math"
	"strings"
	"testing"

	"agent/internal/compression"
	"agent/internal/llm"
	"agent/internal/settings"
)

// The session sums up the cost of requests, each with the prices at its time. It ends when the
// limit is reached.
func TestCost(t *testing.T) {
	t.Parallel()
	b := newBench(t,
		respond(llm.ToolCall{ID: "c", Name: "read_file", Arguments: `{"path":"a"}`},
			llm.Usage{PromptTokens: 1_000_000, CompletionTokens: 100_000, CachedTokens: 400_000}, llm.Finish{Reason: "tool_calls"}),
		respond(llm.Text{Delta: "done"}, llm.Usage{PromptTokens: 1_000_000}, llm.Finish{Reason: "stop"}),
	)
	b.at.prices = &settings.Prices{Input: 1, Output: 10, CacheRead: 0.1, CacheWrite: 1.25}
	out, err := b.prompt("go")
	if err != nil || out.Stop != StopDone {
		t.Fatalf("%+v, %v", out, err)
	}
	// 0.6 uncached + 0.04 cached + 1 for output, then 1 uncached.
	if got := b.stats.Cost; math.Abs(got-2.64) > 1e-9 {
		t.Errorf("cost %v", got)
	}
	if told := seen[TurnCost](b); len(told) != 1 || told[0].String() != "cost: $2.64, the session $2.64" || strings.Contains(notices(b), "cost: $") {
		t.Errorf("the cost was not told once, apart from the notices: %v, %s", told, notices(b))
	}
	b.set("max-cost", "2.6")
	out, err = b.prompt("again")
	if err != nil || out.Stop != StopMaxCost || out.Requests != 0 {
		t.Errorf("over the limit: %+v, %v", out, err)
	}
}

// The cost of summaries counts. After a summary reaches the limit, neither another summary nor the
// pending request is sent.
func TestMaxCostOfSummaries(t *testing.T) {
	t.Parallel()
	summary := respond(llm.Text{Delta: aSummary}, llm.Usage{PromptTokens: 1_000_000, CompletionTokens: 1000}, llm.Finish{Reason: "stop"})
	b := newBench(t, say("first"), summary)
	b.at.prices = &settings.Prices{Input: 2, Output: 10}
	b.set("compression.strategy", "one-shot")
	b.set("max-cost", "2")
	b.config.CompressionPrompt = "sum it up"
	b.renew()
	b.long()
	if out, err := b.prompt("begin"); err != nil || out.Response != "first" {
		t.Fatalf("%+v, %v", out, err)
	}
	b.set("compression.threshold", "0.001")
	out, err := b.prompt("go on")
	if err != nil || out.Stop != StopMaxCost || len(b.model.requests) != 2 || math.Abs(b.stats.Cost-2.01) > 0.01 {
		t.Errorf("%+v, %v, %d requests, cost %v", out, err, len(b.model.requests), b.stats.Cost)
	}
	told, err := b.window.PerformCompression(t.Context(), strategyOf(t, "one-shot"))
	if len(b.model.requests) != 2 {
		t.Errorf("another summary was asked for: %+v, %v", told, err)
	}
	b.valid()
}

// If the endpoint reports no usage, the limit uses our own count. This covers complete and broken
// replies, missing and zero usage, and summaries (F7).
func TestMaxCostWithoutUsage(t *testing.T) {
	t.Parallel()
	text := llm.Text{Delta: strings.Repeat("word ", 1000)}
	call := llm.ToolCall{ID: "c", Name: "read_file", Arguments: `{"file_path":"a"}`}
	for name, turn := range map[string]answerFunc{
		"no usage":       respond(call, llm.Text{Delta: "on"}, llm.Finish{Reason: "tool_calls"}),
		"usage of zeros": respond(call, llm.Usage{}, llm.Finish{Reason: "tool_calls"}),
		"broken":         fail(&llm.Error{Kind: llm.Truncated, Message: "cut"}, text),
	} {
		b := newBench(t)
		b.model.next = func(int) answerFunc { return turn }
		b.at.prices = &settings.Prices{Input: 1000, Output: 1000}
		b.set("max-cost", "2")
		for range 30 {
			if out, _ := b.prompt("go"); out.Stop == StopMaxCost {
				break
			}
		}
		if n := len(b.model.requests); n > 20 || b.stats.Cost < 2 || b.stats.PromptTokens != 0 {
			t.Errorf("%s: %d requests, %+v", name, n, b.stats.Stats)
		}
		if told := notices(b); strings.Count(told, "max-cost uses an estimate") != 1 {
			t.Errorf("%s: told %s", name, told)
		}
	}
}

// A summary without reported usage costs too.
func TestMaxCostOfUncountedSummaries(t *testing.T) {
	t.Parallel()
	b := newBench(t, say(aSummary), say("never"))
	b.at.prices = &settings.Prices{Input: 100_000, Output: 10}
	b.set("compression.strategy", "one-shot")
	b.config.CompressionPrompt = "sum it up"
	b.renew()
	b.long()
	b.set("compression.threshold", "0.001")
	b.set("max-cost", "1")
	if out, err := b.prompt("go on"); err != nil || out.Stop != StopMaxCost || len(b.model.requests) != 1 || b.stats.Cost < 1 {
		t.Errorf("%+v, %v, %d requests", out, err, len(b.model.requests))
	}
}

// Without prices no cost is shown, and one notice states that the limit can't be checked.
func TestCostUnknown(t *testing.T) {
	t.Parallel()
	turn := respond(llm.Text{Delta: "a"}, llm.Usage{PromptTokens: 100, CompletionTokens: 10}, llm.Finish{Reason: "stop"})
	b := newBench(t, turn, turn)
	b.set("max-cost", "0.01")
	for _, text := range []string{"one", "two"} {
		if out, err := b.prompt(text); err != nil || out.Stop != StopDone {
			t.Fatalf("%+v, %v", out, err)
		}
	}
	if b.stats.Cost != 0 || b.stats.Unpriced.PromptTokens != 200 {
		t.Errorf("%+v", b.stats)
	}
	if told := notices(b); strings.Count(told, "can't enforce max-cost") != 1 || len(seen[TurnCost](b)) > 0 {
		t.Errorf("notices:\n%s", told)
	}
}

func notices(b *bench) string {
	var texts []string
	for _, e := range seen[Notice](b) {
		texts = append(texts, e.Text)
	}
	return strings.Join(texts, "\n")
}

func strategyOf(t *testing.T, name string) compression.Strategy {
	t.Helper()
	strategy, err := compression.Get(name)
	if err != nil {
		t.Fatal(err)
	}
	return strategy
}

// Above a price step the whole request costs more, including a cache of one hour. max-cost still
// holds, and a notice announces the first request above the step.
func TestCostAboveAStep(t *testing.T) {
	t.Parallel()
	call := llm.ToolCall{ID: "c", Name: "read_file", Arguments: `{"path":"a"}`}
	b := newBench(t,
		respond(call, llm.Usage{PromptTokens: 272_000, CompletionTokens: 1000, CachedTokens: 200_000}, llm.Finish{Reason: "tool_calls"}),
		respond(llm.Text{Delta: "done"}, llm.Usage{PromptTokens: 272_001, CompletionTokens: 1000, CachedTokens: 200_000, CacheWriteTokens: 50_001, LongWriteTokens: 10_000}, llm.Finish{Reason: "stop"}),
	)
	b.set("context-limit", "1000000")
	b.at.prices = &settings.Prices{Input: 2, Output: 10, CacheRead: 0.1, CacheWrite: 2.5, Steps: []settings.PriceStep{{Above: 272_000, Input: 4, Output: 15, CacheRead: 0.2, CacheWrite: 5}}}
	out, err := b.prompt("go")
	if err != nil || out.Stop != StopDone {
		t.Fatalf("%+v, %v", out, err)
	}
	below := 0.072*2 + 0.2*0.1 + 0.001*10
	above := 0.022*4 + 0.2*0.2 + 0.050001*5 + 0.001*15 + 0.01*(2*4-5)
	if got := b.stats.Cost; math.Abs(got-below-above) > 1e-9 {
		t.Errorf("cost %v, want %v", got, below+above)
	}
	b.set("max-cost", "0.5")
	if out, err = b.prompt("again"); err != nil || out.Stop != StopMaxCost || out.Requests != 0 {
		t.Errorf("over the limit: %+v, %v", out, err)
	}
}

// The first request above a step is announced once.
func TestStepIsAnnounced(t *testing.T) {
	t.Parallel()
	b := newBench(t, say("one"), say("two"), say("three"))
	b.set("context-limit", "1000000")
	b.at.prices = &settings.Prices{Input: 2, Output: 10, CacheRead: 0.1, CacheWrite: 2.5, Steps: []settings.PriceStep{{Above: 2000, Input: 4, Output: 15, CacheRead: 0.2, CacheWrite: 5}}}
	for i, text := range []string{"go", wordy(2500), "on"} {
		if _, err := b.prompt(text); err != nil {
			t.Fatal(err)
		}
		if told := strings.Count(notices(b), "tokens. Above 2k tokens, the whole request costs double"); told != min(i, 1) {
			t.Errorf("after %d messages it was said %d times: %s", i+1, told, notices(b))
		}
	}
}
