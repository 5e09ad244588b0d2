package openai_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/llm/openai"
	"agent/internal/testing/llmtest"
)

// TestCacheHints checks that every vendor receives cache hints in its own format, and that other
// servers receive none.
func TestCacheHints(t *testing.T) {
	t.Parallel()
	const (
		control = `"cache_control":{"type":"ephemeral"}`
		hour    = `"cache_control":{"type":"ephemeral","ttl":"1h"}`
		mark    = `"prompt_cache_breakpoint":{"mode":"explicit"}`
		key     = `"prompt_cache_key":"KEY"`
		session = `"session_id":"KEY"`
	)
	for _, tt := range []struct {
		host, model string
		policy      llm.CachePolicy
		api         openai.API
		want        map[string]int
	}{
		{"api.openai.com", "gpt-4o", "auto", "", map[string]int{key: 1}},
		{"api.openai.com", "gpt-5.6", "", "", map[string]int{key: 1, mark: 1}},
		{"api.openai.com", "gpt-5.6", "", "chat", map[string]int{key: 1, mark: 1}},
		{"api.openai.com", "gpt-5.6", "off", "", nil},
		{"openrouter.ai", "openai/gpt-5.4", "", "", map[string]int{key: 1, session: 1}},
		{"openrouter.ai", "anthropic/claude-opus-5", "", "", map[string]int{key: 1, session: 1, control: 4}},
		{"openrouter.ai", "anthropic/claude-opus-5", "1h", "", map[string]int{key: 1, session: 1, hour: 4}},
		{"openrouter.ai", "anthropic/claude-opus-5", "off", "", nil},
		{"openrouter.ai", "qwen/qwen3-coder", "", "", map[string]int{key: 1, session: 1, control: 4}},
		{"gateway.example.com", "claude-opus-5", "5m", "", map[string]int{control: 4}},
		{"api.anthropic.com", "claude-opus-5", "", "", nil},
		{"localhost:8080", "claude-like", "", "", nil},
		{"localhost:8080", "claude-like", "5m", "", map[string]int{control: 4}},
		{"127.0.0.1:4000", "sonnet", "1h", "", map[string]int{hour: 4}},
		{"api.example.com", "m", "off", "", nil},
		{"api.openai.com", "gpt-4o", "5m", "", map[string]int{key: 1}},
		{"api.example.com", "m", "", "", nil},
	} {
		srv := llmtest.New(t, llmtest.Say("ok"))
		req := longConversation()
		req.Model = tt.model
		req.Cache = llm.Cache{Policy: tt.policy, Key: "KEY", Stable: 1}
		if got := llmtest.Collect(t.Context(), t, openai.On(vendorClient(t, srv, tt.host), tt.api), req); got.Text != "ok" {
			t.Fatalf("%+v: %+v", tt, got)
		}
		sent := map[string]int{}
		for _, hint := range []string{control, hour, mark, key, session} {
			if n := strings.Count(string(srv.Requests()[0].Body), hint); n > 0 {
				sent[hint] = n
			}
		}
		if len(sent)+len(tt.want) > 0 && !cmp.Equal(tt.want, sent) {
			t.Errorf("%s at %s, %s: %v", tt.model, tt.host, tt.policy, cmp.Diff(tt.want, sent))
		}
	}
}

// longConversation has a first message, six turns of calls and a last message.
func longConversation() llm.Request {
	req := ask("first")
	req.System = "be brief"
	for i := range 6 {
		id := fmt.Sprint("c", i)
		req.History = append(req.History, history.New(history.AI, call(id, "f", `{}`)), history.New(history.Tool, answer(id, "result "+id)))
	}
	req.History = append(req.History, history.New(history.AI, text("done")), history.HumanText("last"))
	return req
}

// TestCacheMarks checks where cache marks are set: the system prompt, the end of the stable
// entries, and the two latest messages that can have a mark.
func TestCacheMarks(t *testing.T) {
	t.Parallel()
	req := longConversation()
	req.Model = "anthropic/claude-opus-5"
	for stable, want := range map[int][]string{
		0:  {"be brief", "result c5", "last"},
		1:  {"be brief", "first", "result c5", "last"},
		6:  {"be brief", "result c1", "result c5", "last"},
		99: {"be brief", "result c5", "last"},
	} {
		srv := llmtest.New(t, llmtest.Say("ok"))
		req.Cache.Stable = stable
		llmtest.Collect(t.Context(), t, vendorClient(t, srv, "openrouter.ai"), req)
		var marked []string
		for _, m := range srv.Requests()[0].Messages {
			if strings.Contains(string(m.Fields["content"]), "cache_control") {
				marked = append(marked, m.Content)
			}
		}
		if diff := cmp.Diff(want, marked); diff != "" {
			t.Errorf("stable %d: %s", stable, diff)
		}
	}
}

// TestRefusedCacheHintsAreOmitted checks that a server that refuses cache hints receives none in later
// requests.
func TestRefusedCacheHintsAreOmitted(t *testing.T) {
	t.Parallel()
	srv := llmtest.New(t,
		llmtest.Fail(400, `{"error":{"message":"messages.0.content.0.cache_control: Extra inputs are not permitted"}}`),
		llmtest.Say("one"), llmtest.Say("two"))
	client := vendorClient(t, srv, "gateway.example.com")
	req := longConversation()
	req.Model = "claude-opus-5"
	for _, want := range []string{"one", "two"} {
		if got := llmtest.Collect(t.Context(), t, client, req); got.Text != want {
			t.Fatalf("got %+v", got)
		}
	}
	for i, r := range srv.Requests() {
		if has := strings.Contains(string(r.Body), "cache_control"); has != (i == 0) {
			t.Errorf("request %d: cache_control %v", i, has)
		}
	}
}
