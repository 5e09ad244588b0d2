package anthropic_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/llm/anthropic"
	"agent/internal/testing/llmtest"
)

// events returns a stream of the Messages API with the given blocks and an end.
func events(blocks ...string) llmtest.Turn {
	turn := llmtest.Turn{}.NoFinish().Event(`{"type":"message_start","message":{"id":"msg_1","usage":{"input_tokens":10,"cache_read_input_tokens":100,"cache_creation_input_tokens":50,"cache_creation":{"ephemeral_1h_input_tokens":40,"ephemeral_5m_input_tokens":10},"output_tokens":1}}}`)
	for _, b := range blocks {
		turn = turn.Event(b)
	}
	return turn
}

func stop(reason string) string {
	return `{"type":"message_delta","delta":{"stop_reason":"` + reason + `"},"usage":{"output_tokens":7,"output_tokens_details":{"thinking_tokens":3}}}`
}

const ended = `{"type":"message_stop"}`

// answering answers requests with a function, and stores their bodies.
type answering struct {
	answer func(body string) (status int, reply string)
	bodies []string
}

func (a *answering) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	a.bodies = append(a.bodies, string(body))
	status, reply := a.answer(string(body))
	return &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(reply)), Request: r}, nil
}

// A request that only refreshes the cache needs no reply. Anthropic receives the bytes of the
// request before, with the limit 0 and without streaming. If that was refused, and for other
// endpoints, the limit is one token.
func TestNoReply(t *testing.T) {
	t.Parallel()
	const official, done = "https://api.anthropic.com/v1", `{"type":"message","id":"msg_2","content":[],"stop_reason":"max_tokens","usage":{"input_tokens":8,"cache_read_input_tokens":900,"output_tokens":0}}`
	const silent, one = `"max_tokens":0,`, `"max_tokens":1,"stream":true,`
	for name, c := range map[string]struct {
		url, model, schema string
		refused            bool
		want               []string
	}{
		"Anthropic":         {url: official, want: []string{silent, silent}},
		"refused":           {url: official, refused: true, want: []string{silent, one, one}},
		"a gateway":         {url: "https://gateway.example/v1", want: []string{one, one}},
		"a thinking budget": {url: official, model: "claude-sonnet-4-5", want: []string{one, one}},
		"a schema":          {url: official, schema: `{"type":"object"}`, want: []string{one, one}},
	} {
		server := &answering{answer: func(body string) (int, string) {
			if c.refused && strings.Contains(body, silent) {
				return http.StatusBadRequest, `{"type":"error","error":{"type":"invalid_request_error","message":"max_tokens: must be positive"}}`
			}
			return http.StatusOK, done
		}}
		client := newClient(t, c.url, func(config *anthropic.Config) { config.Endpoint.Transport = server })
		req := longRequest(2)
		req.MaxOutputTokens, req.Cache.Key = 100, "session"
		if c.model != "" {
			req.Model = c.model
		}
		if c.schema != "" {
			req.Schema = json.RawMessage(c.schema)
		}
		llmtest.Collect(t.Context(), t, client, req)
		req.MaxOutputTokens, req.NoReply = 1, true
		for range 2 {
			got := llmtest.Collect(t.Context(), t, client, req)
			if want := (llm.Usage{PromptTokens: 908, CachedTokens: 900}); got.Err != nil || got.Text != "" || got.Finish != "length" || got.Usage != want {
				t.Errorf("%s: %+v", name, got)
			}
		}
		own := strings.Replace(server.bodies[0], `"diagnostics":{"previous_message_id":null}`, `"diagnostics":{"previous_message_id":"msg_2"}`, 1)
		if len(server.bodies) != 1+len(c.want) || !strings.Contains(own, `"cache_control":`) {
			t.Fatalf("%s: %d requests", name, len(server.bodies))
		}
		for i, want := range c.want {
			if diff := cmp.Diff(strings.Replace(own, `"max_tokens":100,"stream":true,`, want, 1), server.bodies[1+i]); diff != "" {
				t.Errorf("%s: request %d: %s", name, i, diff)
			}
		}
	}
}

// Thinking of every kind, blocks of unknown types and server-side searches are sent back byte for
// byte. They stay in order between texts and calls.
func TestRepliesAreSentBackUnchanged(t *testing.T) {
	t.Parallel()
	raw := []string{
		`{"type":"thinking","thinking":"","signature":"not base64 é <&>"}`,
		`{"type":"redacted_thinking","data":"x+/="}`,
		`{"type":"text","text":"one"}`,
		`{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{"query":"go"}}`,
		`{"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[{"type":"web_search_result","url":"https://go.dev","encrypted_content":"e="}]}`,
		`{"type":"text","text":" two","citations":[{"type":"web_search_result_location","url":"https://go.dev"}]}`,
		`{"type":"from_next_year","data":[1,2]}`,
		`{"type":"tool_use","id":"toolu_1","name":"f","input":{"b":1,"a":2}}`,
	}
	var blocks []string
	for i, b := range raw {
		n := string(rune('0' + i))
		blocks = append(blocks, `{"type":"content_block_start","index":`+n+`,"content_block":`+b+`}`, `{"type":"content_block_stop","index":`+n+`}`)
	}
	blocks = append(blocks, `{"type":"unheard_of","x":1}`, stop("tool_use"), ended)
	turns, srv := []llmtest.Turn{events(blocks...), llmtest.Say("ok")}, (*llmtest.Server)(nil)
	srv = llmtest.NewUnjudged(t, func(r *llmtest.Request) llmtest.Turn { return turns[r.Number] })
	client := newClient(t, srv.URL)
	req := llmtest.Question("hi")
	req.Model = "claude-opus-5-5"
	got := llmtest.Collect(t.Context(), t, client, req)
	if got.Text != "one two" || len(got.Calls) != 1 || got.Finish != "tool_calls" || got.Err != nil {
		t.Fatalf("got %+v", got)
	}
	req.History = append(req.History,
		history.New(history.AI, &history.Thinking{Attached: got.Thought}, &history.Text{Text: got.Text}, &history.ToolCall{ID: "toolu_1", Name: "f", Parameters: json.RawMessage(got.Calls[0].Arguments)}).WithMeta(history.MetaModel, req.Model),
		history.New(history.Tool, &history.ToolResponse{CallID: "toolu_1", ToolName: "f", Result: history.TextResult("done")}))
	llmtest.Collect(t.Context(), t, client, req)
	var sent struct {
		Messages []struct{ Content []json.RawMessage }
	}
	if err := json.Unmarshal(srv.Requests()[1].Body, &sent); err != nil {
		t.Fatal(err)
	}
	for i, b := range sent.Messages[1].Content {
		if string(b) != raw[i] {
			t.Errorf("block %d went back as %s, and came as %s", i, b, raw[i])
		}
	}
	if len(sent.Messages[1].Content) != len(raw) {
		t.Errorf("%d blocks went back, and %d came", len(sent.Messages[1].Content), len(raw))
	}
}

// Instructions that the program adds during a session are system messages. They follow the user's
// message and the answers of its calls. This applies to models that accept system messages, until
// an endpoint refuses one.
func TestInstructionsAreSystemMessages(t *testing.T) {
	t.Parallel()
	note := func(text string) history.Block {
		return &history.Text{Text: text, Source: history.SourceExtension, Key: history.KeyApprovalMode}
	}
	call := &history.ToolCall{ID: "a", Name: "f", Parameters: json.RawMessage(`{}`)}
	entries := []*history.Content{
		history.New(history.Human, &history.Text{Text: "first"}, note("the mode is plan")),
		history.New(history.AI, call),
		history.New(history.Tool, &history.ToolResponse{CallID: "a", ToolName: "f", Result: history.TextResult("done")}),
		history.New(history.Human, note("the mode is ask"), &history.Text{Text: "a file", IncludedFile: "a.go"}, &history.Text{Text: "skill", Source: history.SourceExtension, Key: "skill:x"}),
	}
	for name, tt := range map[string]struct {
		model  string
		refuse bool
		want   string
	}{
		"a model that takes them":   {"claude-opus-5-5", false, "user first; system the mode is plan; assistant ; tool done; user a file\nskill; system the mode is ask"},
		"another model":             {"claude-haiku-4-5", false, "user first\nthe mode is plan; assistant ; tool done; user the mode is ask\na file\nskill"},
		"an endpoint that does not": {"claude-opus-5-5", true, "user first\nthe mode is plan; assistant ; tool done; user the mode is ask\na file\nskill"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			turns := []llmtest.Turn{llmtest.Say("ok")}
			if tt.refuse {
				turns = append([]llmtest.Turn{llmtest.Fail(400, `{"type":"error","error":{"type":"invalid_request_error","message":"messages.1.role: Input should be 'user' or 'assistant'"}}`)}, turns...)
			}
			srv := llmtest.New(t, turns...)
			got := llmtest.Collect(t.Context(), t, newClient(t, srv.URL), llm.Request{Model: tt.model, History: entries})
			var sent []string
			requests := srv.Requests()
			for _, m := range requests[len(requests)-1].Messages {
				sent = append(sent, m.Role+" "+m.Content)
			}
			if all := strings.Join(sent, "; "); all != tt.want || got.Err != nil || len(got.Notes) > 0 {
				t.Errorf("sent %s %v %v", all, got.Err, got.Notes)
			}
		})
	}
}

// The answers to the calls of a reply are in one message, before other blocks and in the order of
// the calls. The order of the history's entries does not matter. System messages follow.
func TestAnswersComeFirst(t *testing.T) {
	t.Parallel()
	answer := func(id string) *history.Content {
		return history.New(history.Tool, &history.ToolResponse{CallID: id, ToolName: "f", Result: history.TextResult(id)})
	}
	note := history.New(history.Human, &history.Text{Text: "ask", Source: history.SourceExtension, Key: history.KeyApprovalMode})
	said := history.HumanText("also this")
	for name, after := range map[string][]*history.Content{
		"in order":            {answer("a"), answer("b"), said, note},
		"in another order":    {answer("b"), answer("a"), note, said},
		"a note in front":     {note, answer("a"), answer("b"), said},
		"a note between":      {answer("a"), note, answer("b"), said},
		"a message between":   {answer("b"), said, note, answer("a")},
		"all in front":        {said, note, answer("b"), answer("a")},
		"thinking in between": {answer("a"), history.New(history.AI, &history.Thinking{Thought: "cut"}), answer("b"), said, note},
	} {
		for model, want := range map[string]string{
			"claude-opus-5-5":  "user first; assistant ; tool a; tool b; user also this; system ask",
			"claude-haiku-4-5": "", // the texts have the order of the entries
		} {
			t.Run(name+" "+model, func(t *testing.T) {
				t.Parallel()
				call := func(id string) history.Block {
					return &history.ToolCall{ID: id, Name: "f", Parameters: json.RawMessage(`{}`)}
				}
				srv := llmtest.New(t, llmtest.Say("ok"))
				entries := append([]*history.Content{history.HumanText("first"), history.New(history.AI, call("a"), call("b"))}, after...)
				got := llmtest.Collect(t.Context(), t, newClient(t, srv.URL), llm.Request{Model: model, History: entries})
				var sent []string
				for _, m := range srv.Requests()[0].Messages {
					sent = append(sent, m.Role+" "+m.Content)
				}
				if all := strings.Join(sent, "; "); got.Err != nil || want != "" && all != want {
					t.Errorf("sent %s %v", all, got.Err)
				}
			})
		}
	}
}

// Usage counts cache reads and cache writes as parts of the prompt.
func TestUsage(t *testing.T) {
	t.Parallel()
	srv := llmtest.New(t, events(`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"hi"}}`, stop("end_turn"), ended))
	got := llmtest.Collect(t.Context(), t, newClient(t, srv.URL), llmtest.Question("hi"))
	want := llm.Usage{PromptTokens: 160, CompletionTokens: 7, ThinkingTokens: 3, CachedTokens: 100, CacheWriteTokens: 50, LongWriteTokens: 40}
	if diff := cmp.Diff(want, got.Usage); diff != "" || got.Err != nil {
		t.Error(diff, got.Err)
	}
}

// An interrupted reply costs its prompt. The usage also counts the part that came from the cache.
func TestUsageOfAnInterruptedReply(t *testing.T) {
	t.Parallel()
	const text = "twenty characters. "
	srv := llmtest.New(t, events(`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"`+text+`"}}`).Hang())
	ctx, cancel := context.WithCancel(t.Context())
	var used llm.Usage
	var failed error
	for chunk, err := range newClient(t, srv.URL).Stream(ctx, llmtest.Question("hi")) {
		switch chunk := chunk.(type) {
		case llm.Text:
			cancel()
		case llm.Usage:
			used = chunk
		}
		failed = err
	}
	cancel()
	if used.PromptTokens != 160 || used.CachedTokens != 100 || used.CacheWriteTokens != 50 || used.CompletionTokens < len(text)/4 || !errors.Is(failed, context.Canceled) {
		t.Errorf("used %+v, %v", used, failed)
	}
}

// A reply that the server pauses is continued with its blocks unchanged.
func TestPausedReply(t *testing.T) {
	t.Parallel()
	text := func(text string) string {
		return `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"` + text + `"}}`
	}
	turns := []llmtest.Turn{events(text("one "), stop("pause_turn"), ended), events(text("two"), stop("end_turn"), ended)}
	srv := llmtest.NewFunc(t, func(r *llmtest.Request) llmtest.Turn { return turns[r.Number] })
	got := llmtest.Collect(t.Context(), t, newClient(t, srv.URL), llmtest.Question("hi"))
	if got.Text != "one two" || got.Usage.PromptTokens != 320 || got.Finish != "stop" {
		t.Errorf("got %+v", got)
	}
	if last := srv.Requests()[1].Last(); last.Role != "assistant" || last.Content != "one " {
		t.Errorf("it was continued after %+v", last)
	}
}

// Unusual ends of replies and malformed streams are errors of the right kind.
func TestEndsOfReplies(t *testing.T) {
	t.Parallel()
	text := `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"hi"}}`
	for name, tt := range map[string]struct {
		turn llmtest.Turn
		kind llm.ErrorKind
		says string
	}{
		"a full window":         {events(text, stop("model_context_window_exceeded"), ended), llm.ContextOverflow, "window"},
		"a refusal":             {events(stop("refusal"), ended), llm.BadRequest, "refuses to answer"},
		"an overload inside":    {events(text, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`), llm.Unavailable, "Overloaded"},
		"no message_stop":       {events(text), llm.Truncated, "before it was complete"},
		"an unopened block":     {events(`{"type":"content_block_delta","index":3,"delta":{"type":"text_delta","text":"x"}}`), llm.Unavailable, "block 3"},
		"overloaded":            {llmtest.Fail(529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`), llm.Unavailable, "Overloaded"},
		"a rate":                {llmtest.Fail(429, `{"type":"error","error":{"type":"rate_limit_error","message":"slow"}}`, "Retry-After", "300"), llm.RateLimit, "slow"},
		"too large":             {llmtest.Fail(413, `{"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}`), llm.BadRequest, "maximum size"},
		"a key":                 {llmtest.Fail(401, `{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}`), llm.Auth, "invalid x-api-key"},
		"a permission":          {llmtest.Fail(403, `{"type":"error","error":{"type":"permission_error","message":"no access"}}`), llm.Auth, "no access"},
		"a model":               {llmtest.Fail(404, `{"type":"error","error":{"type":"not_found_error","message":"model: claude-x"}}`), llm.ModelNotFound, "claude-x"},
		"the field at fault":    {llmtest.Fail(400, `{"type":"error","error":{"type":"invalid_request_error","message":"max_tokens: must be positive"}}`), llm.BadRequest, "max_tokens: must be positive"},
		"prompt and max_tokens": {llmtest.Fail(400, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}`), llm.ContextOverflow, "too long"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := llmtest.NewFunc(t, func(*llmtest.Request) llmtest.Turn { return tt.turn })
			got := llmtest.Collect(t.Context(), t, anthropic.Bare(newClient(t, srv.URL)), llmtest.Question("hi"))
			failure, is := errors.AsType[*llm.Error](got.Err)
			if !is || failure.Kind != tt.kind || !strings.Contains(failure.Message, tt.says) {
				t.Errorf("got %v", got.Err)
			}
		})
	}
}

// The client reports thinking that the server dropped, once for each reason. The usage contains the
// cause of a cache miss.
func TestReportsOnTheRequest(t *testing.T) {
	t.Parallel()
	turn := llmtest.Turn{}.NoFinish().Event(`{"type":"message_start","message":{"id":"msg_1","usage":{"input_tokens":10},"input_transformations":[{"type":"thinking_dropped","path":"messages.1.content.0","reason":"prefix_binding_mismatch"}],"diagnostics":{"cache_miss_reason":{"type":"tools_changed"}}}}`).
		Event(`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"hi"}}`).Event(stop("end_turn")).Event(ended)
	srv := llmtest.NewFunc(t, func(*llmtest.Request) llmtest.Turn { return turn })
	client := newClient(t, srv.URL)
	for i := range 2 {
		got := llmtest.Collect(t.Context(), t, client, llmtest.Question("hi"))
		if len(got.Notes) != 1-i || i == 0 && !strings.Contains(got.Notes[0], "a bug in agent") || got.Usage.CacheMiss != "tools_changed" || got.Usage.DroppedThinking != 1 {
			t.Errorf("reply %d: %+v", i+1, got)
		}
	}
}

// newTool returns a message about an added tool.
func newTool(name string) *history.Content {
	return history.New(history.Human, &history.Text{
		Text: "[s now also offers: " + name + "]", Source: history.SourceExtension,
		Tools: &history.ToolChange{Added: []history.ToolDefinition{{Name: name, Description: strings.Repeat("long ", 400), Schema: []byte(`{"type":"object"}`)}}},
	})
}

// If a tool is added or removed within a conversation, a system message contains the change. The
// cached prefix stays valid, and earlier thinking is kept.
func TestToolChangesKeepThePrefix(t *testing.T) {
	t.Parallel()
	srv := llmtest.NewFunc(t, func(r *llmtest.Request) llmtest.Turn { return llmtest.Think("hm").Say("ok") })
	client := newClient(t, srv.URL)
	req := llmtest.Question("hi")
	req.Model, req.System = "claude-opus-5-5", strings.Repeat("be brief ", 900)
	req.Tools = []llm.ToolSpec{{Name: "mcp_call", Schema: []byte(`{"type":"object"}`)}, {Name: "old", Schema: []byte(`{"type":"object"}`)}}
	prompt := 0
	for _, step := range []struct {
		entry *history.Content
		want  string
	}{
		{nil, ""},
		{newTool("new"), "tool_addition new"},
		{history.New(history.Human, &history.Text{Text: "[s has no old and no unknown]", Source: history.SourceExtension, Tools: &history.ToolChange{Removed: []string{"old", "unknown"}}}), "tool_removal old"},
		{newTool("new"), "(go on)"}, // the model has the tool
	} {
		if step.entry != nil {
			req.History = append(req.History, step.entry)
		}
		got := llmtest.Collect(t.Context(), t, client, req)
		sent := srv.Requests()[len(srv.Requests())-1]
		if last := sent.Messages[len(sent.Messages)-1]; got.Err != nil || step.want != "" && last.Content != step.want {
			t.Fatalf("%v, %q, want %q", got.Err, last.Content, step.want)
		}
		if got.Usage.CachedTokens < prompt {
			t.Errorf("%q: %d tokens were read from the cache, and the request before had %d", step.want, got.Usage.CachedTokens, prompt)
		}
		prompt = got.Usage.CachedTokens + got.Usage.CacheWriteTokens // the content after the last mark is not cached
		thoughts := 0
		for _, m := range sent.Messages {
			thoughts += len(m.Reasoning)
		}
		if replies := len(srv.Requests()) - 1; thoughts != replies {
			t.Errorf("%d of %d thoughts were sent back", thoughts, replies)
		}
		req.History = append(req.History, history.New(history.AI, &history.Thinking{Thought: got.Reasoning, Attached: got.Thought}, &history.Text{Text: got.Text}).WithMeta(history.MetaModel, req.Model))
	}
}

// Models and gateways that do not support changes of tools receive a text about the change.
func TestToolChangesInWords(t *testing.T) {
	t.Parallel()
	refuses := func(r *llmtest.Request) llmtest.Turn {
		if strings.Contains(string(r.Body), "defer_loading") {
			return llmtest.Fail(http.StatusBadRequest, `{"type":"error","error":{"type":"invalid_request_error","message":"tools.1.defer_loading: Extra inputs are not permitted"}}`)
		}
		return llmtest.Say("ok")
	}
	for _, model := range []string{"claude-haiku-4-5", "claude-opus-5-5"} {
		srv := llmtest.NewFunc(t, refuses)
		req := llmtest.Question("hi")
		req.Model = model
		req.History = append(req.History, newTool("new"))
		got := llmtest.Collect(t.Context(), t, newClient(t, srv.URL), req)
		sent := srv.Requests()[len(srv.Requests())-1]
		if last := sent.Messages[len(sent.Messages)-1]; got.Err != nil || last.Role != "user" || !strings.Contains(last.Content, "now also offers: new") || len(sent.Tools) != len(req.Tools) {
			t.Errorf("%s: %v, %+v", model, got.Err, last)
		}
	}
}

// A call whose arguments were cut at the output limit is marked, and the history stays valid.
func TestCutCall(t *testing.T) {
	t.Parallel()
	srv := llmtest.New(t, events(
		`{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"toolu_1","name":"f","input":{}}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"a\":"}}`, stop("max_tokens"), ended))
	got := llmtest.Collect(t.Context(), t, newClient(t, srv.URL), llmtest.Question("hi"))
	if len(got.Calls) != 1 || !got.Calls[0].Cut || got.Finish != "length" {
		t.Errorf("got %+v", got)
	}
}

// If a gateway refuses a parameter, the request is repeated once without it. If a gateway reports
// bound thinking, the request is repeated without the thinking. Later requests omit it too.
func TestLessons(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ model, refusal, absent string }{
		"controls": {"claude-opus-5-5", "thinking.adaptive.block_binding: Extra inputs are not permitted", "block_binding"},
		"bound":    {"claude-opus-5", "messages.1.content.0: Invalid signature in thinking block. The block is bound to a different conversation", `"thinking":"hm"`},
		"marks":    {"claude-opus-5", "system.0.cache_control: Extra inputs are not permitted", "cache_control"},
		"display":  {"claude-opus-5", "thinking.display: not supported", `"display"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			refused, _ := json.Marshal(map[string]any{"type": "error", "error": map[string]string{"type": "invalid_request_error", "message": tt.refusal}})
			srv := llmtest.New(t, llmtest.Think("hm").Say("one"), llmtest.Fail(400, string(refused)), llmtest.Say("two"), llmtest.Say("three"))
			client := newClient(t, srv.URL, func(c *anthropic.Config) { c.ThinkingDisplay = "summarized" })
			req := llmtest.Question("hi")
			req.Model, req.System = tt.model, strings.Repeat("be brief ", 3000)
			first := llmtest.Collect(t.Context(), t, client, req)
			req.History = append(req.History, history.New(history.AI, &history.Thinking{Thought: "hm", Attached: first.Thought}, &history.Text{Text: first.Text}), history.HumanText("more"))
			for _, want := range []string{"two", "three"} {
				if got := llmtest.Collect(t.Context(), t, client, req); got.Text != want || got.Err != nil {
					t.Fatalf("got %+v", got)
				}
			}
			sent := srv.Requests()
			for i, has := range []bool{true, false, false} {
				if strings.Contains(string(sent[i+1].Body), tt.absent) != has {
					t.Errorf("request %d has %s: %v", i+2, tt.absent, !has)
				}
			}
		})
	}
}

// Requests have the headers of the API, and the client reports the limits in the headers of
// replies.
func TestHeaders(t *testing.T) {
	t.Parallel()
	srv := llmtest.New(t, llmtest.Say("hi"))
	client := newClient(t, strings.TrimSuffix(srv.URL, "/v1"))
	llmtest.Collect(t.Context(), t, client, llmtest.Question("hi"))
	h := srv.Requests()[0].Header
	if h.Get("X-Api-Key") != "sk-ant-key-1" || h.Get("Anthropic-Version") != "2023-06-01" || h.Get("Authorization") != "" {
		t.Errorf("headers %v", h)
	}
	anthropic.Tell(client, http.Header{"Anthropic-Ratelimit-Tokens-Limit": {"1000"}, "Anthropic-Ratelimit-Tokens-Remaining": {"250"}, "Anthropic-Ratelimit-Tokens-Reset": {"2026-11-29T12:00:00Z"}})
	want := []anthropic.Limit{{Name: "tokens a minute", Most: 1000, Left: 250, Resets: time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)}}
	if diff := cmp.Diff(want, client.Limits()); diff != "" {
		t.Error(diff)
	}
}

// The judge of the tests refuses the same requests as Anthropic.
func TestJudge(t *testing.T) {
	t.Parallel()
	const user = `{"role":"user","content":[{"type":"text","text":"hi"}]}`
	// called is the start of a conversation whose last message has two calls. a and b are their
	// answers.
	const called = `{"model":"claude-opus-5-5","max_tokens":9,"messages":[` + user + `,{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}},{"type":"tool_use","id":"b","name":"f","input":{}}]},`
	const a, b = `{"type":"tool_result","tool_use_id":"a","content":"x"}`, `{"type":"tool_result","tool_use_id":"b","content":"x"}`
	for problem, body := range map[string]string{
		"always thinks":     `{"model":"claude-opus-5-5","max_tokens":9,"thinking":{"type":"disabled"},"messages":[` + user + `]}`,
		"no temperature":    `{"model":"claude-opus-5-5","max_tokens":9,"temperature":1,"messages":[` + user + `]}`,
		"are both of":       `{"model":"m","max_tokens":9,"messages":[` + user + `,` + user + `]}`,
		"keeps nothing":     `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":[{"type":"text","text":"hi","cache_control":{"type":"ephemeral"}}]}]}`,
		"without an answer": `{"model":"m","max_tokens":9,"messages":[` + user + `,{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}}]}]}`,
		"blank":             `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":[{"type":"text","text":" "}]}]}`,
		"takes no system":   `{"model":"claude-haiku-4-5","max_tokens":9,"messages":[` + user + `,{"role":"system","content":"plan"}]}`,
		"does not stand":    `{"model":"claude-opus-5-5","max_tokens":9,"messages":[` + user + `,{"role":"system","content":"plan"},` + user + `]}`,
		"stand between":     called + `{"role":"system","content":"plan"},{"role":"user","content":[` + a + `,` + b + `]}]}`,
		"2 (user): text":    called + `{"role":"user","content":[` + a + `,{"type":"text","text":"x"},` + b + `]}]}`,
		"3 (assistant)":     called + `{"role":"user","content":[` + a + `]},{"role":"assistant","content":"x"},{"role":"user","content":[` + b + `]}]}`,
		"":                  `{"model":"claude-opus-5-5","max_tokens":9,"system":"be brief","messages":[{"role":"user","content":"hi"},{"role":"system","content":"plan"},{"role":"assistant","content":"yes"},` + user + `]}`,
	} {
		if err := llmtest.JudgeMessages([]byte(body)); problem == "" && err != nil {
			t.Error(err)
		} else if problem != "" && (err == nil || !strings.Contains(err.Error(), problem)) {
			t.Errorf("%s: %v", problem, err)
		}
	}
}
