package openai_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/llm/openai"
	"agent/internal/testing/llmtest"
)

// newResponsesClient returns a client like newClient for the Responses API.
func newResponsesClient(t *testing.T, srv *llmtest.Server) *openai.Client {
	t.Helper()
	client, _ := newClient(t, srv)
	return openai.On(client, openai.APIResponses)
}

func TestResponsesRequest(t *testing.T) {
	t.Parallel()
	zero := 0.0
	req := ask("look <at> this")
	req.System, req.MaxOutputTokens, req.Temperature, req.ReasoningEffort = "be brief", 100, &zero, "max"
	req.Tools = []llm.ToolSpec{{Name: "f", Description: "does f", Schema: json.RawMessage(`{"type":"object"}`)}, {Name: "g"}}
	req.History[0].Blocks = append(req.History[0].Blocks, &history.Media{MimeType: "image/png", Data: "AAAA"}, &history.Media{MimeType: "audio/wav", Data: "AAAA"})
	req.History = append(req.History,
		history.New(history.AI, &history.Text{Text: "I look."}, call("a", "f", `null`), call("a", "f", `{"p":1}`)),
		history.New(history.Tool, answer("a", "one"), &history.Media{MimeType: "image/png", Data: "BBBB"}, answer("a", "")))
	srv := llmtest.New(t, llmtest.Say("ok"))
	client := newResponsesClient(t, srv)
	if _, err := collect(t.Context(), client, req); err != nil {
		t.Fatal(err)
	}
	want := `{"include":["reasoning.encrypted_content"],"input":[` +
		`{"type":"message","role":"system","content":[{"type":"input_text","text":"be brief"}]},` +
		`{"type":"message","role":"user","content":[{"type":"input_text","text":"look <at> this"},{"type":"input_image","image_url":"data:image/png;base64,AAAA"},{"type":"input_text","text":"(omitted: an attachment of type audio/wav, which the API does not support)"}]},` +
		`{"type":"message","role":"assistant","content":[{"type":"output_text","text":"I look."}]},` +
		`{"type":"function_call","call_id":"a","name":"f","arguments":"{}"},{"type":"function_call","call_id":"a_2","name":"f","arguments":"{\"p\":1}"},` +
		`{"type":"function_call_output","call_id":"a","output":"one"},{"type":"function_call_output","call_id":"a_2","output":"(no output)"},` +
		`{"type":"message","role":"user","content":[{"type":"input_text","text":"[f also returned:]"},{"type":"input_image","image_url":"data:image/png;base64,BBBB"}]}],` +
		`"max_output_tokens":100,"model":"m","reasoning":{"effort":"max","summary":"auto"},"store":false,"stream":true,"temperature":0,` +
		`"tools":[{"description":"does f","name":"f","parameters":{"type":"object"},"strict":false,"type":"function"},{"name":"g","parameters":{"properties":{},"type":"object"},"strict":false,"type":"function"}]}`
	var got any
	_ = json.Unmarshal(srv.Requests()[0].Body, &got)
	var wanted any
	_ = json.Unmarshal([]byte(want), &wanted)
	if diff := cmp.Diff(wanted, got); diff != "" {
		t.Error(diff)
	}
}

// TestReasoningItems checks that reasoning items are sent back unchanged, at their position, to the
// model and host that made them. An item is never sent without the item that must follow it.
func TestReasoningItems(t *testing.T) {
	t.Parallel()
	reply := llmtest.Think("first").Say("I look.").Think("second").Call("f", `{}`)
	for name, tt := range map[string]struct {
		change func(*llm.Request)
		prune  bool
		want   []string
	}{
		"the same model":   {want: []string{"message", "reasoning", "message", "reasoning", "function_call", "function_call_output"}},
		"another model":    {change: func(r *llm.Request) { r.Model = "other" }, want: []string{"message", "message", "function_call", "function_call_output"}},
		"never":            {change: func(r *llm.Request) { r.Replay = llm.ReplayNever }, want: []string{"message", "message", "function_call", "function_call_output"}},
		"its call is gone": {prune: true, want: []string{"message", "reasoning", "message"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := llmtest.New(t, reply, llmtest.Say("done"))
			client := newResponsesClient(t, srv)
			req := ask("hi")
			first := llmtest.Collect(t.Context(), t, client, req)
			if first.Reasoning != "firstsecond" && first.Reasoning != "first\n\nsecond" {
				t.Errorf("reasoning %q", first.Reasoning)
			}
			if tt.prune {
				first.Calls = nil
			}
			req.History = append(req.History, answered(first)...)
			if tt.change != nil {
				tt.change(&req)
			}
			if got := llmtest.Collect(t.Context(), t, client, req); got.Text != "done" {
				t.Fatalf("got %+v", got)
			}
			var body struct {
				Input []struct {
					Type      string `json:"type"`
					Encrypted string `json:"encrypted_content"`
				} `json:"input"`
			}
			_ = json.Unmarshal(srv.Requests()[1].Body, &body)
			var kinds, secrets []string
			for _, item := range body.Input {
				kinds = append(kinds, item.Type)
				if item.Encrypted != "" {
					secrets = append(secrets, item.Encrypted)
				}
			}
			if diff := cmp.Diff(tt.want, kinds); diff != "" {
				t.Error(diff)
			}
			for i, secret := range secrets {
				if want := fmt.Sprintf("ENC(%x)", []string{"first", "second"}[i]); secret != want {
					t.Errorf("%s came back as %s", want, secret)
				}
			}
		})
	}
}

// TestResponsesFailures checks that a failed response becomes an error of the right kind with its
// reason.
func TestResponsesFailures(t *testing.T) {
	t.Parallel()
	failed := func(code, message string) llmtest.Turn {
		return llmtest.Say("Hel").NoFinish().Event(fmt.Sprintf(`{"type":"response.failed","response":{"status":"failed","error":{"code":%q,"message":%q}}}`, code, message))
	}
	for name, tt := range map[string]struct {
		turn llmtest.Turn
		kind llm.ErrorKind
		says string
	}{
		"server":        {failed("server_error", "it broke"), llm.Unavailable, "it broke"},
		"rate":          {failed("rate_limit_exceeded", "slow down"), llm.RateLimit, "slow down"},
		"window":        {failed("context_length_exceeded", "your input exceeds the context window"), llm.ContextOverflow, "exceeds the context window"},
		"without words": {llmtest.Turn{}.NoFinish().Event(`{"type":"response.failed","response":{"status":"failed"}}`), llm.Unavailable, "the response failed"},
		"error event":   {llmtest.Turn{}.NoFinish().Event(`{"type":"error","code":"invalid_request_error","message":"no"}`), llm.BadRequest, "no"},
		"broken off":    {llmtest.Say("Hel").NoFinish(), llm.Truncated, "before it was complete"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := llmtest.NewFunc(t, func(*llmtest.Request) llmtest.Turn { return tt.turn })
			client := newResponsesClient(t, srv)
			_, err := collect(t.Context(), client, ask("hi"))
			if got := failure(t, err); got.Kind != tt.kind || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("got %v (kind %d)", err, got.Kind)
			}
		})
	}
}

// TestOddResponses checks that the client also reads unusual responses of other servers.
func TestOddResponses(t *testing.T) {
	t.Parallel()
	const whole = `{"object":"response","status":"completed","output":[{"type":"reasoning","summary":[{"type":"summary_text","text":"hm"}]},` +
		`{"type":"message","content":[{"type":"output_text","text":"hi"}]},{"type":"function_call","call_id":"a","name":"f","arguments":"{}"}],"usage":{"input_tokens":7,"output_tokens":2}}`
	want := llmtest.Reply{Reasoning: "hm", Text: "hi", Started: []string{"f"}, Calls: []llm.ToolCall{{ID: "a", Name: "f", Arguments: "{}"}}, Usage: llm.Usage{PromptTokens: 7, CompletionTokens: 2}, Finish: "tool_calls"}
	for name, turn := range map[string]llmtest.Turn{
		"not streamed":   llmtest.Fail(200, whole),
		"only its end":   llmtest.Turn{}.NoFinish().Event(`{"type":"response.completed","response":` + whole + `}`),
		"unknown events": llmtest.Turn{}.NoFinish().Event(`{"type":"response.new.thing","delta":7}`).Event(`{"type":"response.output_text.delta","delta":{},"output_index":"x"}`).Event(`{"type":"response.completed","response":` + whole + `}`),
		"items without deltas": llmtest.Turn{}.NoFinish().
			Event(`{"type":"response.output_item.done","output_index":0,"item":{"type":"reasoning","summary":[{"type":"summary_text","text":"hm"}]}}`).
			Event(`{"type":"response.output_item.done","output_index":1,"item":{"type":"message","content":[{"type":"output_text","text":"hi"}]}}`).
			Event(`{"type":"response.output_item.done","output_index":2,"item":{"type":"function_call","call_id":"a","name":"f","arguments":"{}"}}`).
			Event(`{"type":"response.completed","response":` + whole + `}`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := llmtest.New(t, turn)
			client := newResponsesClient(t, srv)
			got := llmtest.Collect(t.Context(), t, client, ask("hi"))
			got.Thought = nil
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestChoiceOfAPI checks that auto selects the Responses API for the models that need it, and
// switches if the endpoint names it. An API that the user has set is always used.
func TestChoiceOfAPI(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		host, model string
		api         openai.API
		want        string
	}{
		{"api.openai.com", "gpt-5.6", "", llmtest.Responses},
		{"api.openai.com", "gpt-5.4-mini", "auto", llmtest.Responses},
		{"api.openai.com", "gpt-6", "", llmtest.Responses},
		{"api.openai.com", "o4-mini", "", llmtest.Responses},
		{"api.openai.com", "gpt-5.6", "chat", llmtest.Chat},
		{"api.openai.com", "gpt-5", "", llmtest.Chat},
		{"api.openai.com", "gpt-5-2025-08-07", "", llmtest.Chat},
		{"api.openai.com", "gpt-5.3", "", llmtest.Chat},
		{"api.openai.com", "gpt-4o", "", llmtest.Chat},
		{"openrouter.ai", "openai/gpt-5.6", "", llmtest.Chat},
		{"api.example.com", "m", "responses", llmtest.Responses},
	} {
		srv := llmtest.New(t, llmtest.Say("ok"))
		req := ask("hi")
		req.Model = tt.model
		if got := llmtest.Collect(t.Context(), t, openai.On(vendorClient(t, srv, tt.host), tt.api), req); got.Text != "ok" || srv.Requests()[0].API != tt.want {
			t.Errorf("%+v: %+v on %s", tt, got, srv.Requests()[0].API)
		}
	}
}

func TestEndpointRequestsResponses(t *testing.T) {
	t.Parallel()
	refusal := llmtest.Fail(400, `{"error":{"message":"Function tools with reasoning_effort are not supported for gpt-5.6 in /v1/chat/completions. Please use /v1/responses instead."}}`)
	srv := llmtest.New(t, refusal, llmtest.Say("one"), llmtest.Say("two"), llmtest.Say("three"), refusal, refusal)
	client, _ := newClient(t, srv)
	for _, want := range []string{"one", "two"} {
		if got := llmtest.Collect(t.Context(), t, client, ask("hi")); got.Text != want {
			t.Fatalf("got %+v", got)
		}
	}
	other := ask("hi")
	other.Model = "other"
	llmtest.Collect(t.Context(), t, client, other)
	var apis []string
	for _, r := range srv.Requests() {
		apis = append(apis, r.API)
	}
	if diff := cmp.Diff([]string{llmtest.Chat, llmtest.Responses, llmtest.Responses, llmtest.Chat}, apis); diff != "" {
		t.Error(diff)
	}
	other.Model = "third"
	if got := llmtest.Collect(t.Context(), t, openai.On(client, openai.APIChat), other); !strings.Contains(fmt.Sprint(got.Err), "set api to auto") {
		t.Errorf("got %v", got.Err)
	}
}

// TestResponsesLessons checks accounts and models that do not support all parameters.
func TestResponsesLessons(t *testing.T) {
	t.Parallel()
	refuse := func(message string) llmtest.Turn {
		return llmtest.Fail(400, fmt.Sprintf(`{"error":{"message":%q}}`, message))
	}
	srv := llmtest.New(t,
		refuse("Your organization must be verified to generate reasoning summaries."),
		refuse("Encrypted content is not supported with this model."), llmtest.Say("ok"))
	client := newResponsesClient(t, srv)
	if got := llmtest.Collect(t.Context(), t, client, ask("hi")); got.Text != "ok" {
		t.Fatalf("got %+v", got)
	}
	fields := srv.Requests()[2].Fields
	if fields["reasoning"] != nil || fields["include"] != nil {
		t.Errorf("still asks for %s, %s", fields["reasoning"], fields["include"])
	}
}
