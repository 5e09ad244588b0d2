package llmtest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agent/internal/history"
	"agent/internal/llm"
)

// TestProvider is the conformance suite of llm.Provider. open returns a provider for the URL of a
// scripted server. The suite runs complete replies, refusals, faults, interrupts and concurrent
// requests. A provider may retry by itself, but must not really wait between its attempts.
func TestProvider(t *testing.T, open func(url string) llm.Provider) {
	t.Helper()
	suite := suite{open}
	t.Run("replies", suite.replies)
	t.Run("refusals", suite.refusals)
	t.Run("faults", suite.faults)
	t.Run("interrupts", suite.interrupts)
	t.Run("history", suite.history)
	t.Run("at the same time", suite.sameTime)
}

type suite struct {
	open func(url string) llm.Provider
}

// replies tests that complete replies arrive with all their parts.
func (s suite) replies(t *testing.T) {
	t.Parallel()
	const odd = "é世\U0001F600 \"quoted\" \\ \t\n<&>\u2028 end"
	call := func(name, arguments string) llm.ToolCall { return llm.ToolCall{Name: name, Arguments: arguments} }
	for name, tt := range map[string]struct {
		turn Turn
		want Reply
	}{
		"text":          {Say("Hel", "lo"), Reply{Text: "Hello", Finish: "stop"}},
		"odd text":      {Say(odd, odd), Reply{Text: odd + odd, Finish: "stop"}},
		"many deltas":   {Say(strings.Split(strings.Repeat("word ", 2000), " ")...), Reply{Text: strings.Repeat("word", 2000), Finish: "stop"}},
		"reasoning":     {Think("let me ", "see").Say("ok"), Reply{Reasoning: "let me see", Text: "ok", Finish: "stop"}},
		"one call":      {Call("f", `{"a":"`+strings.Repeat("x", 5000)+`"}`), Reply{Calls: []llm.ToolCall{call("f", `{"a":"`+strings.Repeat("x", 5000)+`"}`)}, Finish: "tool_calls"}},
		"no arguments":  {Call("f", `{}`), Reply{Calls: []llm.ToolCall{call("f", `{}`)}, Finish: "tool_calls"}},
		"bad arguments": {Call("f", `{"a":`), Reply{Calls: []llm.ToolCall{call("f", `{"a":`)}, Finish: "tool_calls"}},
		"parallel calls": {
			Think("hm").Say("Looking.").Call("f", `{"n":1}`).Call("g", `{"n":2}`).Call("f", `{"n":1}`),
			Reply{Reasoning: "hm", Text: "Looking.", Calls: []llm.ToolCall{call("f", `{"n":1}`), call("g", `{"n":2}`), call("f", `{"n":1}`)}, Finish: "tool_calls"},
		},
		"usage":             {Say("hi").Usage(100, 20, 80), Reply{Text: "hi", Usage: llm.Usage{PromptTokens: 100, CompletionTokens: 20, CachedTokens: 80}, Finish: "stop"}},
		"cut by its length": {Say("hi").Finish("length"), Reply{Text: "hi", Finish: "length"}},
		"filtered":          {Say("hi").Finish("content_filter"), Reply{Text: "hi", Finish: "content_filter"}},
		"keep-alives":       {Turn{}.Comments(500).Say("hi").Comments(500), Reply{Text: "hi", Finish: "stop"}},
		"nothing":           {Turn{}, Reply{Finish: "stop"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := New(t, tt.turn)
			got := Collect(t.Context(), t, s.open(srv.URL), Question("hi"))
			if tt.want.Usage == (llm.Usage{}) {
				got.Usage = llm.Usage{}
			}
			for i := range got.Calls {
				got.Calls[i].ID = ""
			}
			got.Started, got.Thought = nil, nil
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// refusals tests that every form of refusal results in an error of the right kind.
func (s suite) refusals(t *testing.T) {
	t.Parallel()
	const message = `{"error":{"message":"%s"}}`
	for name, tt := range map[string]struct {
		turn Turn
		kind llm.ErrorKind
	}{
		"bad request":   {Fail(400, fmt.Sprintf(message, "bad value")), llm.BadRequest},
		"key":           {Fail(401, fmt.Sprintf(message, "no such key")), llm.Auth},
		"model":         {Fail(404, fmt.Sprintf(message, "the model m does not exist")), llm.ModelNotFound},
		"path":          {Fail(404, "404 page not found"), llm.NotAnAPI},
		"window":        {Fail(400, fmt.Sprintf(message, "maximum context length is 4096 tokens")), llm.ContextOverflow},
		"rate":          {Fail(429, fmt.Sprintf(message, "slow down")), llm.RateLimit},
		"server":        {Fail(500, fmt.Sprintf(message, "boom")), llm.Unavailable},
		"web page":      {HTML(http.StatusOK), llm.NotAnAPI},
		"in the stream": {Say("Hel").Event(`{"error":{"message":"boom"}}`), llm.Unavailable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := NewFunc(t, func(*Request) Turn { return tt.turn })
			got := Collect(t.Context(), t, s.open(srv.URL), Question("hi"))
			var failure *llm.Error
			if !errors.As(got.Err, &failure) || failure.Kind != tt.kind {
				t.Errorf("got %v, want an error of kind %d", got.Err, tt.kind)
			}
		})
	}
}

// faults tests that a broken reply never counts as complete. The provider requests it again, or
// returns an error that the reply broke off.
func (s suite) faults(t *testing.T) {
	t.Parallel()
	for name, turn := range map[string]Turn{
		"no answer":              Drop(),
		"an empty stream":        Turn{}.NoFinish(),
		"ends within the text":   Say("Hello").NoFinish(),
		"ends after a call":      Call("f", `{}`).NoFinish(),
		"breaks within the text": Say("Hello").Cut(),
		"breaks within an event": Say("Hello", "there").CutAt(200),
		"breaks within a call":   Say("x").Call("write_file", `{"content":"0123456789"}`).CutAt(500),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := New(t, turn, Say("complete"))
			got := Collect(t.Context(), t, s.open(srv.URL), Question("hi"))
			var failure *llm.Error
			switch {
			case got.Retries > 0:
				if got.Text != "complete" || got.Err != nil {
					t.Errorf("after a retry: %+v", got)
				}
			case !errors.As(got.Err, &failure) || failure.Kind != llm.Truncated && failure.Kind != llm.Unavailable:
				t.Errorf("got %v", got.Err)
			}
			if len(got.Calls) > 0 {
				t.Errorf("a call of a broken reply was handed out: %v", got.Calls)
			}
		})
	}
}

// interrupts tests that canceling ends the request immediately on both sides.
func (s suite) interrupts(t *testing.T) {
	t.Parallel()
	for name, turn := range map[string]Turn{
		"before the reply": {},
		"within the text":  Say("Hello"),
		"within a call":    Call("f", `{"a":1}`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			arrived, gone := make(chan struct{}), make(chan struct{})
			srv := New(t, turn.Reached(arrived).Gone(gone))
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			go func() {
				<-arrived
				cancel()
			}()
			if got := Collect(ctx, t, s.open(srv.URL), Question("hi")); got.Err == nil || len(got.Calls) > 0 {
				t.Errorf("got %+v", got)
			}
			await(t, gone)
		})
	}
	t.Run("by leaving", func(t *testing.T) {
		t.Parallel()
		gone := make(chan struct{})
		srv := New(t, Say("Hello").Gone(gone))
		for chunk, err := range s.open(srv.URL).Stream(t.Context(), Question("hi")) {
			if _, pulse := chunk.(llm.Heartbeat); !pulse || err != nil {
				break
			}
		}
		await(t, gone)
	})
	t.Run("before the request", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		srv := New(t)
		if got := Collect(ctx, t, s.open(srv.URL), Question("hi")); got.Err == nil {
			t.Errorf("got %+v", got)
		}
	})
}

// await waits for something that must happen soon.
func await(t *testing.T, happened <-chan struct{}) {
	t.Helper()
	const soon = 20 * time.Second
	select {
	case <-happened:
	case <-time.After(soon):
		t.Error("the request went on")
	}
}

// history tests that a strict server accepts the requests. New checks the requests.
func (s suite) history(t *testing.T) {
	t.Parallel()
	call := func(id, parameters string) history.Block {
		return &history.ToolCall{ID: id, Name: "f", Parameters: []byte(parameters)}
	}
	answer := func(id, text string) history.Block {
		return &history.ToolResponse{CallID: id, ToolName: "f", Result: history.TextResult(text)}
	}
	req := Question("first")
	req.Tools = []llm.ToolSpec{{Name: "f", Description: "does f", Schema: []byte(`{"type":"object","properties":{"a":{"type":"string"}}}`)}}
	req.History = append(req.History,
		history.New(history.AI, &history.Thinking{Thought: "hm"}, &history.Text{Text: "I look."}, call("a", `{"a":"1"}`), call("b", `null`)),
		history.New(history.Tool, answer("a", "one"), answer("b", "")),
		history.New(history.AI, call("a", `"broken"`)),
		history.New(history.Tool, answer("a", "two")),
		history.New(history.AI, &history.Text{Text: "done"}),
		history.New(history.Human, &history.Text{Text: "and this?"}, &history.Media{MimeType: "image/png", Data: "AAAA"}),
	)
	srv := New(t, Say("ok"))
	got := Collect(t.Context(), t, s.open(srv.URL), req)
	if got.Text != "ok" || got.Err != nil {
		t.Fatalf("got %+v", got)
	}
	sent := srv.Requests()[0]
	if names := sent.ToolNames(); len(names) != 1 || sent.Model != "m" {
		t.Errorf("tools %v, model %s", names, sent.Model)
	}
	answers := map[string]int{}
	for _, m := range sent.Messages {
		for _, c := range m.ToolCalls {
			answers[c.ID]++
		}
		if m.Role == "tool" {
			answers[m.ToolCallID]++
		}
	}
	if len(answers) != 3 {
		t.Errorf("calls and answers by id: %v", answers)
	}
	if last := sent.Last(); last.Content != "and this?" || len(last.Images) != 1 {
		t.Errorf("the last message is %+v", last)
	}
}

// sameTime tests that concurrent requests do not affect each other.
func (s suite) sameTime(t *testing.T) {
	t.Parallel()
	srv := NewFunc(t, func(r *Request) Turn { return Say("re: ", r.Last().Content).Call("f", `{}`) })
	provider := s.open(srv.URL)
	const many = 8
	replies := make(chan string, many)
	for i := range many {
		go func() {
			want := fmt.Sprintf("re: %d", i)
			if got := Collect(t.Context(), t, provider, Question(fmt.Sprint(i))); got.Text != want {
				t.Errorf("got %q, want %q", got.Text, want)
			}
			replies <- want
		}()
	}
	for range many {
		<-replies
	}
}
