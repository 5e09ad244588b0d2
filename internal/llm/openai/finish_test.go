package openai_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/llm"
	"agent/internal/testing/llmtest"
)

// TestReasonsToFinish checks finish reasons that only some vendors use. Some of them mark an
// incomplete reply.
func TestReasonsToFinish(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		"stop": "stop", "length": "length", "model_length": "length", "max_tokens": "length", "sensitive": "content_filter", "SAFETY": "content_filter",
		"content_filter: RECITATION": "content_filter", "function_call": "tool_calls", "eos": "eos",
	} {
		srv := llmtest.New(t, llmtest.Say("hi").Finish(said).NoUsage())
		client, _ := newClient(t, srv)
		got, err := collect(t.Context(), client, ask("hi"))
		if diff := cmp.Diff([]llm.Chunk{llm.Text{Delta: "hi"}, llm.Finish{Reason: want}}, got); err != nil || diff != "" {
			t.Error(said, err, diff)
		}
	}
	for _, said := range []string{"error", "network_error", "insufficient_system_resource", "abort", "function_call_filter: MALFORMED_FUNCTION_CALL"} {
		srv := llmtest.New(t, llmtest.Say("hi").Finish(said).NoUsage(), llmtest.Say("there").NoUsage())
		client, _ := newClient(t, srv)
		got, err := collect(t.Context(), client, ask("hi"))
		if retrying, is := got[1].(llm.RetryNotice); err != nil || !is || !retrying.Discard || got[2] != (llm.Text{Delta: "there"}) || !strings.Contains(retrying.Reason, said) {
			t.Error(said, err, got)
		}
	}
	for name, turn := range map[string]llmtest.Turn{"nothing": {}, "thinking": llmtest.Turn{}.Event(`{"choices":[{"index":0,"delta":{"reasoning":"hm"}}]}`)} {
		srv := llmtest.New(t, turn.Finish("content_filter").NoUsage())
		client, _ := newClient(t, srv)
		_, err := collect(t.Context(), client, ask("hi"))
		if got := failure(t, err); got.Kind != llm.BadRequest || !strings.Contains(err.Error(), "of the provider blocked the whole reply; rephrase your message") {
			t.Error(name, err)
		}
	}
	srv := llmtest.New(t, llmtest.Say("hi").Finish("model_context_window_exceeded").NoUsage())
	client, _ := newClient(t, srv)
	if _, err := collect(t.Context(), client, ask("hi")); failure(t, err).Kind != llm.ContextOverflow {
		t.Error(err)
	}
}
