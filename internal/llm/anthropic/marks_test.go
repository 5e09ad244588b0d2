package anthropic_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/llm/anthropic"
	"agent/internal/testing/llmtest"
)

// longRequest returns a request with a number of calls and their results.
func longRequest(calls int) llm.Request {
	req := llmtest.Question("the task")
	req.Model, req.System = "claude-opus-5-5", strings.Repeat("be brief ", 900)
	req.Tools = []llm.ToolSpec{{Name: "read_file", Description: strings.Repeat("reads a file ", 200), Schema: []byte(`{"type":"object"}`)}}
	for n := range calls {
		id := fmt.Sprint("call", n)
		req.History = append(req.History,
			history.New(history.AI, &history.Text{Text: "I read on."}, &history.ToolCall{ID: id, Name: "read_file", Parameters: json.RawMessage(`{"path":"a.go"}`)}).WithMeta(history.MetaModel, req.Model),
			history.New(history.Tool, &history.ToolResponse{CallID: id, ToolName: "read_file", Result: history.TextResult(strings.Repeat("line ", 800))}))
	}
	return req
}

// With the judge's usage and the prices of Opus 5.5, a session with cache marks costs less than a
// quarter of a session without them.
func TestMarksPay(t *testing.T) {
	t.Parallel()
	const requests = 20
	whole := longRequest(requests)
	cost := func(policy llm.CachePolicy) (sum float64) {
		srv := llmtest.NewFunc(t, func(*llmtest.Request) llmtest.Turn { return llmtest.Say("ok") })
		client := newClient(t, srv.URL)
		for n := range requests {
			req := whole
			req.History, req.Cache.Policy = whole.History[:1+2*n], policy
			u := llmtest.Collect(t.Context(), t, client, req).Usage
			sum += float64(u.PromptTokens-u.CachedTokens-u.CacheWriteTokens) + 0.05*float64(u.CachedTokens) + 1.25*float64(u.CacheWriteTokens)
		}
		return sum
	}
	with, without := cost(llm.CacheAuto), cost(llm.CacheOff)
	t.Logf("%.0f tokens at full price with marks, %.0f without: %.3f", with, without, with/without)
	if with > without/4 {
		t.Errorf("%.0f tokens at full price with marks, %.0f without", with, without)
	}
}

func BenchmarkRequest(b *testing.B) {
	client, req := newClient(b, "http://127.0.0.1:1"), longRequest(200)
	b.SetBytes(int64(len(anthropic.Encode(client, req))))
	for b.Loop() {
		anthropic.Encode(client, req)
	}
}
