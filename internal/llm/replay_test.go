package llm_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/llm/llmtest"
)

// vendorClient returns a client that believes to talk to a host and talks to srv.
func vendorClient(t *testing.T, srv *llmtest.Server, host string) *llm.Client {
	t.Helper()
	return llm.NewClient(llm.ClientConfig{
		BaseURL: "http://" + host + "/v1", Transport: srv.Transport(), Retry: llm.RetryPolicy{Sleep: (&waits{}).sleep},
	})
}

// answered is the entry of a reply and the answers to its calls.
func answered(r llmtest.Reply) []*history.Content {
	var blocks, answers []history.Block
	if r.Reasoning != "" || r.Thought != nil {
		blocks = append(blocks, &history.Thinking{Thought: r.Reasoning, Attached: r.Thought})
	}
	if r.Text != "" {
		blocks = append(blocks, &history.Text{Text: r.Text})
	}
	for _, call := range r.Calls {
		blocks = append(blocks, &history.ToolCall{ID: call.ID, Name: call.Name, Parameters: json.RawMessage(call.Arguments), Attached: call.Attached})
		answers = append(answers, &history.ToolResponse{CallID: call.ID, ToolName: call.Name, Result: history.TextResult("ok")})
	}
	entries := []*history.Content{history.New(history.AI, blocks...)}
	if len(answers) > 0 {
		entries = append(entries, history.New(history.Tool, answers...))
	}
	return entries
}

// TestReplay: what a provider attached comes back to it word for word where it is
// wanted, and to nobody else.
func TestReplay(t *testing.T) {
	t.Parallel()
	const (
		signature = `{"google":{"thought_signature":"SIG"}}`
		skip      = `{"google":{"thought_signature":"skip_thought_signature_validator"}}`
	)
	thinks := llmtest.Think("let me ", "see").Call("f", `{}`).Call("g", `{}`)
	signs := llmtest.Call("f", `{}`).Call("g", `{}`).Extra(signature)
	details := llmtest.Turn{}.
		Details(`[{"type":"reasoning.text","index":0,"text":"let "}]`).Details(`[{"type":"reasoning.text","index":0,"text":"me"}]`).
		Details(`[{"type":"reasoning.text","index":0,"signature":"SIG"},{"type":"reasoning.encrypted","index":1,"data":"x"}]`).Call("f", `{}`)
	const merged = `[{"index":0,"signature":"SIG","text":"let me","type":"reasoning.text"},{"data":"x","index":1,"type":"reasoning.encrypted"}]`
	for name, tt := range map[string]struct {
		host, model string
		turn        llmtest.Turn
		replay      llm.Replay
		// to is where the history goes, the same place if empty.
		toHost, toModel string
		// reasoning and details of the assistant message, as they are sent; extra of
		// its first call. Empty ones are absent.
		reasoning, details, extra string
	}{
		"DeepSeek":                   {host: "api.deepseek.com", model: "deepseek-v4", turn: thinks, reasoning: `"let me see"`},
		"DeepSeek without reasoning": {host: "api.deepseek.com", model: "deepseek-v4", turn: llmtest.Call("f", `{}`), reasoning: `""`},
		"DeepSeek elsewhere":         {host: "cloud.example.com", model: "acme/DeepSeek-V4", turn: thinks, reasoning: `"let me see"`},
		"never":                      {host: "api.deepseek.com", model: "deepseek-v4", turn: thinks, replay: llm.ReplayNever},
		"another model":              {host: "api.deepseek.com", model: "deepseek-v4", turn: thinks, toModel: "deepseek-v5", reasoning: `""`},
		"another host":               {host: "api.deepseek.com", model: "deepseek-v4", turn: thinks, toHost: "api.example.com", toModel: "m"},
		"an unknown endpoint":        {host: "api.example.com", model: "m", turn: thinks},
		"always":                     {host: "api.example.com", model: "m", turn: thinks, replay: llm.ReplayAlways, reasoning: `"let me see"`},
		"a local server":             {host: "localhost:11434", model: "deepseek-r1", turn: thinks},
		"Gemini":                     {host: "generativelanguage.googleapis.com", model: "gemini-3-pro", turn: signs, extra: signature},
		"Gemini, foreign history":    {host: "api.example.com", model: "m", turn: thinks, toHost: "generativelanguage.googleapis.com", toModel: "gemini-3-pro", extra: skip},
		"Gemini, another of them":    {host: "generativelanguage.googleapis.com", model: "gemini-3-pro", turn: signs, toModel: "gemini-3-flash", extra: skip},
		"Gemini before 3":            {host: "generativelanguage.googleapis.com", model: "gemini-2.5-pro", turn: llmtest.Call("f", `{}`)},
		"signatures at a gateway":    {host: "api.example.com", model: "m", turn: signs, extra: signature},
		"signatures leave it":        {host: "api.example.com", model: "m", turn: signs, toHost: "api.other.com"},
		"OpenRouter":                 {host: "openrouter.ai", model: "anthropic/claude", turn: details, details: merged},
		"OpenRouter, never":          {host: "openrouter.ai", model: "anthropic/claude", turn: details, replay: llm.ReplayNever},
		"OpenRouter, another model":  {host: "openrouter.ai", model: "anthropic/claude", turn: details, toModel: "x/y"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := llmtest.New(t, tt.turn, llmtest.Say("done"))
			req := ask("hi")
			req.Model, req.Replay = tt.model, tt.replay
			got := llmtest.Collect(t.Context(), t, vendorClient(t, srv, tt.host), req)
			req.History = append(req.History, answered(got)...)
			if tt.toModel != "" {
				req.Model = tt.toModel
			}
			host := tt.host
			if tt.toHost != "" {
				host = tt.toHost
			}
			if end := llmtest.Collect(t.Context(), t, vendorClient(t, srv, host), req); end.Text != "done" {
				t.Fatalf("got %+v", end)
			}
			message := srv.Requests()[1].Messages[1]
			sent := []string{string(message.Fields["reasoning_content"]), string(message.Fields["reasoning_details"]), string(message.ToolCalls[0].Extra)}
			if diff := cmp.Diff([]string{tt.reasoning, tt.details, tt.extra}, sent); diff != "" {
				t.Error(diff)
			}
			if len(message.ToolCalls) > 1 && len(message.ToolCalls[1].Extra) > 0 {
				t.Errorf("the second call has %s", message.ToolCalls[1].Extra)
			}
		})
	}
}

// TestLessons: an endpoint that names what it wants otherwise is asked again at
// once in that way, and from then on.
func TestLessons(t *testing.T) {
	t.Parallel()
	refuse := func(message string) llmtest.Turn {
		raw, _ := json.Marshal(map[string]any{"error": map[string]string{"message": message}})
		return llmtest.Fail(400, string(raw))
	}
	const skip = `{"google":{"thought_signature":"skip_thought_signature_validator"}}`
	for name, tt := range map[string]struct {
		host, refusal    string
		reasoning, extra string
	}{
		"reasoning is demanded":    {"api.example.com", "The `reasoning_content` in the thinking mode must be passed back to the API.", `"hm"`, `{"a":1}`},
		"by Kimi's words":          {"api.example.com", "thinking is enabled but reasoning_content is missing in assistant tool call message at index 2", `"hm"`, `{"a":1}`},
		"reasoning is unknown":     {"api.deepseek.com", "property 'reasoning_content' is unsupported", "", `{"a":1}`},
		"signatures of others":     {"api.example.com", "Corrupted thought signature.", "", skip},
		"reasoning cannot be read": {"api.deepseek.com", "Invalid `signature` in `thinking` block", "", `{"a":1}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := llmtest.New(t, llmtest.Think("hm").Call("f", `{}`).Extra(`{"a":1}`), refuse(tt.refusal), llmtest.Say("one"), llmtest.Say("two"))
			client := vendorClient(t, srv, tt.host)
			req := ask("hi")
			req.History = append(req.History, answered(llmtest.Collect(t.Context(), t, client, req))...)
			for _, want := range []string{"one", "two"} {
				if got := llmtest.Collect(t.Context(), t, client, req); got.Text != want {
					t.Fatalf("got %+v", got)
				}
			}
			for _, r := range srv.Requests()[2:] {
				message := r.Messages[1]
				if got := string(message.Fields["reasoning_content"]); got != tt.reasoning {
					t.Errorf("reasoning %s, want %s", got, tt.reasoning)
				}
				if got := string(message.ToolCalls[0].Extra); got != tt.extra {
					t.Errorf("extra %s, want %s", got, tt.extra)
				}
			}
		})
	}
}

// TestLessonsEnd: a refusal that teaches nothing new is an error.
func TestLessonsEnd(t *testing.T) {
	t.Parallel()
	srv := llmtest.NewFunc(t, func(*llmtest.Request) llmtest.Turn {
		return llmtest.Fail(400, `{"error":{"message":"reasoning_content: stream_options: thought_signature"}}`)
	})
	client, _ := newClient(t, srv)
	_, err := collect(t.Context(), client, ask("hi"))
	if failure(t, err).Kind != llm.BadRequest || len(srv.Requests()) > 6 {
		t.Errorf("%v after %d requests", err, len(srv.Requests()))
	}
}
