package chat

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"agent/internal/llm"
	"agent/internal/llm/openai"
	"agent/internal/testing/llmtest"
)

// If earlier content changes, reasoning after it is never sent to a server that binds reasoning to
// that content. This is true for every strategy and kind of cache. Within a turn no reasoning is
// lost, unless the setting compression.boundaries is always.
func TestVoidReasoningIsNotSent(t *testing.T) {
	t.Parallel()
	for _, strategy := range []string{"cache-aware", "high-density", "top-down-truncation"} {
		for _, kind := range []string{"prefix", "marks"} {
			for _, boundaries := range []string{"auto", "always"} {
				t.Run(strategy+" "+kind+" "+boundaries, func(t *testing.T) {
					t.Parallel()
					voidWithin, voidAtAll := boundJob(t, strategy, "cache-kind="+kind, "compression.boundaries="+boundaries)
					if strategy == "high-density" && voidAtAll == 0 || strategy == "top-down-truncation" && voidAtAll > 0 {
						t.Errorf("%d replies lost their reasoning", voidAtAll)
					}
					if voidWithin > 0 && boundaries == "auto" {
						t.Errorf("%d replies lost their reasoning within a turn", voidWithin)
					}
				})
			}
		}
	}
}

// boundJob has a model with bound reasoning read and write over several turns. It returns the
// number of replies that lost their reasoning within a turn, and in total.
func boundJob(t *testing.T, set ...string) (within, all int) {
	t.Helper()
	const perTurn, turns = 8, 3
	var calls atomic.Int64
	srv := llmtest.NewFunc(t, func(*llmtest.Request) llmtest.Turn {
		n := calls.Add(1)
		turn := llmtest.Think(fmt.Sprint("thought ", n)).NoUsage()
		if n%perTurn == 0 {
			return turn.Say("done")
		}
		if n%3 == 0 {
			return turn.CallID(fmt.Sprint("c", n), "read_file", `{"file_path":"part1.go"}`)
		}
		note := strings.Repeat(fmt.Sprint("word", n, " "), 300)
		return turn.CallID(fmt.Sprint("c", n), "write_file", fmt.Sprintf(`{"file_path":"part%d.go","note":%q}`, n%3, note))
	})
	r := newRecorded(t, t.TempDir())
	client := openai.NewClient(openai.Config{BaseURL: "http://api.example.com/v1", Transport: srv.Transport(), API: openai.APIResponses})
	r.at.provider = func() (llm.Provider, error) { return client, nil }
	for _, pair := range append([]string{"model=gpt-6.2-sol", "reasoning-bound=true", "context-limit=1000000", "compression.strategy=" + set[0]}, set[1:]...) {
		key, value, _ := strings.Cut(pair, "=")
		r.set(key, value)
	}
	before, told := 0, false
	r.on = func(e Event) {
		if n, ok := e.(Notice); ok && strings.Contains(n.Text, ", because earlier messages have changed (our pruning took ") {
			told = true
		}
		if _, ok := e.(RequestStarted); !ok {
			return
		}
		if void := r.stats.Void; int(calls.Load())%perTurn != 0 && void > before {
			within += void - before
		}
		before = r.stats.Void
	}
	for range turns {
		if out, err := r.Prompt(context.Background(), "go on"); err != nil || out.Response != "done" {
			t.Fatalf("ended with %q, %v", out.Response, err)
		}
	}
	if srv.ReasoningSent() == 0 {
		t.Error("no reasoning was sent back")
	}
	if told != (before > 0) {
		t.Errorf("%d replies lost their reasoning, told %t", before, told)
	}
	return within, before
}
