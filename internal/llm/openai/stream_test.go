package openai_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agent/internal/llm"
	"agent/internal/testing/llmtest"
)

// TestInStreamErrors checks that an error within a stream with status 200 is an error, in every
// known form, and not the end of a reply.
func TestInStreamErrors(t *testing.T) {
	t.Parallel()
	hello := llmtest.Say("Hel")
	tests := []struct {
		name     string
		turn     llmtest.Turn
		kind     llm.ErrorKind
		attempts int
		says     string
	}{
		{"by the book", hello.Raw(`data: {"error":{"message":"boom","type":"server_error"}}` + "\n\n"), llm.Unavailable, 2, "boom"},
		{"with a space, which the library swallows", hello.Raw(`data: { "error": {"message":"boom"}}` + "\n\n"), llm.Unavailable, 2, "boom"},
		{"as a string", hello.Raw(`data: {"error":"boom"}` + "\n\n"), llm.Unavailable, 2, "boom"},
		{"with a code that is a status", hello.Event(`{"error":{"code":429,"message":"slow down"}}`), llm.RateLimit, 3, "Too Many Requests (429): slow down"},
		{"by type", hello.Event(`{"error":{"type":"rate_limit_error","message":"slow down"}}`), llm.RateLimit, 3, "slow down"},
		{"a bad request", hello.Event(`{"error":{"type":"invalid_request_error","message":"no"}}`), llm.BadRequest, 1, "no"},
		{"a refused key", hello.Event(`{"error":{"type":"authentication_error","message":"who?"}}`), llm.Auth, 1, "who?"},
		{"beside choices (OpenRouter)", hello.Event(`{"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}],"error":{"code":502,"message":"upstream died"}}`), llm.Unavailable, 2, "upstream died"},
		{"an event named error", hello.Raw("event: error\ndata: {\"message\":\"boom\"}\n\n"), llm.Unavailable, 2, "boom"},
		{"a bare object", hello.Raw("{\"error\":{\"message\":\"boom\"}}\n"), llm.Unavailable, 2, "boom"},
		{"over several lines", hello.Raw("data: {\"error\":\ndata: {\"message\":\"boom\"}}\n\n"), llm.Unavailable, 2, "boom"},
		{"vLLM's flat form", hello.Event(`{"object":"error","message":"boom","error":"x","code":400}`), llm.BadRequest, 1, "boom"},
		{"FastAPI's detail", hello.Event(`{"detail":"boom"}`), llm.Unavailable, 2, "boom"},
		{"JSON with status 200", llmtest.Fail(200, "{\n \"error\": {\"message\": \"boom\"}\n}"), llm.Unavailable, 5, "boom"},
		{"MiniMax's status", hello.Event(`{"choices":null,"base_resp":{"status_code":1000,"status_msg":"boom"}}`), llm.Unavailable, 2, "boom"},
		{"MiniMax without credit", hello.Event(`{"base_resp":{"status_code":1008,"status_msg":"insufficient balance"}}`), llm.RateLimit, 1, "insufficient balance"},
		{"MiniMax's filter", hello.Event(`{"choices":null,"base_resp":{"status_code":1026,"status_msg":"input new_sensitive"}}`), llm.BadRequest, 1, "rephrase your message"},
		{"GLM's filter", hello.Event(`{"error":{"code":"1301","message":"系统检测到输入或生成内容可能包含不安全或敏感内容"}}`), llm.BadRequest, 1, "rephrase your message"},
		{"a request that is invalid", hello.Event(`{"error":{"message":"Input validation error","type":"Input Validation Error"}}`), llm.BadRequest, 1, "Input validation"},
		{"before any word of the reply", llmtest.Turn{}.Event(`{"error":{"message":"boom"}}`), llm.Unavailable, 5, "boom"},
		{"no words at all", hello.Event(`{"error":{"weird":1}}`), llm.Unavailable, 2, "weird"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			srv := llmtest.NewFunc(t, func(*llmtest.Request) llmtest.Turn { return tt.turn })
			client, _ := newClient(t, srv)
			_, err := collect(t.Context(), client, ask("hi"))
			if got := failure(t, err); got.Kind != tt.kind || got.Attempts != tt.attempts || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("got kind %d after %d attempts, %q; want %d after %d, %q", got.Kind, got.Attempts, err, tt.kind, tt.attempts, tt.says)
			}
		})
	}
}

// TestTextAboutErrorsIsNoError checks that text of the model about an error is not taken for an
// error.
func TestTextAboutErrorsIsNoError(t *testing.T) {
	t.Parallel()
	srv := llmtest.New(t, llmtest.Say(`{"error":"x"}`, ` "detail"`).Event(`{"error":null,"choices":[{"index":0,"delta":{"content":"!"}}]}`))
	client, _ := newClient(t, srv)
	got, err := collect(t.Context(), client, ask("hi"))
	if err != nil || got[0] != (llm.Text{Delta: `{"error":"x"} "detail"!`}) {
		t.Errorf("got %v, %v", got, err)
	}
}

// TestBrokenStreams checks that a reply is complete only with its finish reason. If a stream
// breaks, the request is repeated and the earlier deltas are declared invalid.
func TestBrokenStreams(t *testing.T) {
	t.Parallel()
	long := llmtest.Say("Hello, world").Call("write_file", `{"file_path":"a","content":"0123456789"}`)
	tests := []struct {
		name    string
		turn    llmtest.Turn
		discard bool
	}{
		{"the connection closes before any answer", llmtest.Drop(), false},
		{"the stream is empty", llmtest.Turn{}.NoFinish(), false},
		{"cut before text", llmtest.Say("Hello").CutAt(10), false},
		{"cut after text", llmtest.Say("Hello").Cut(), true},
		{"cut within an event", llmtest.Say("Hello", "there").CutAt(110), true},
		{"cut within a call's arguments", long.CutAt(500), true},
		{"ends after text", llmtest.Say("Hello").NoFinish(), true},
		{"ends with [DONE] within arguments", llmtest.Turn{}.Event(halfCall).NoFinish().Event("[DONE]"), true},
		{"ends within arguments", long.NoFinish(), true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			srv := llmtest.New(t, tt.turn, llmtest.Say("complete").NoUsage())
			client, _ := newClient(t, srv)
			got, err := collect(t.Context(), client, ask("hi"))
			if err != nil {
				t.Fatal(err)
			}
			at := slices.IndexFunc(got, func(c llm.Chunk) bool { _, ok := c.(llm.RetryNotice); return ok })
			if at < 0 {
				t.Fatalf("no Retrying in %v", got)
			}
			retrying := got[at].(llm.RetryNotice)
			if retrying.Attempt != 2 || retrying.Delay != 750*time.Millisecond || retrying.Discard != tt.discard || !strings.Contains(retrying.Where, srv.URL) {
				t.Errorf("got %+v, want Discard %v", retrying, tt.discard)
			}
			want := []llm.Chunk{llm.Text{Delta: "complete"}, llm.Finish{Reason: "stop"}}
			if diff := cmp.Diff(want, got[at+1:]); diff != "" {
				t.Error(diff)
			}
			for _, chunk := range got[:at] {
				if _, ok := chunk.(llm.ToolCall); ok {
					t.Errorf("a call was handed out before it was whole: %v", chunk)
				}
			}
		})
	}
}

const halfCall = `{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"p\":"}}]}}]}`

// TestBrokenStreamsLimitRetries checks that a broken reply, which costs tokens, is repeated only a
// few times, and even fewer times if its bytes are the same.
func TestBrokenStreamsLimitRetries(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		turn     func(n int) llmtest.Turn
		attempts int
	}{
		"the same every time": {func(int) llmtest.Turn { return llmtest.Say("Hello").NoFinish() }, 2},
		"another every time":  {func(n int) llmtest.Turn { return llmtest.Say(fmt.Sprint("Hello", n)).NoFinish() }, 3},
		"nothing every time":  {func(int) llmtest.Turn { return llmtest.Turn{}.NoFinish() }, 5},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := llmtest.NewFunc(t, func(r *llmtest.Request) llmtest.Turn { return tt.turn(r.Number) })
			client, _ := newClient(t, srv)
			_, err := collect(t.Context(), client, ask("hi"))
			if got := failure(t, err); got.Kind != llm.Truncated || got.Attempts != tt.attempts || !strings.Contains(err.Error(), "before it was complete") {
				t.Errorf("got %v (kind %d, %d attempts)", err, got.Kind, got.Attempts)
			}
		})
	}
}

// TestMalformedReplies checks that a reply that violates the API fails at once with its reason. A
// retry would have the same result.
func TestMalformedReplies(t *testing.T) {
	t.Parallel()
	zeros := strings.Repeat("0", 17<<20)
	endless := func(event string, n int) llmtest.Turn {
		return llmtest.Turn{}.Raw(strings.Repeat("data: "+event+"\n\n", n))
	}
	for name, tt := range map[string]struct {
		turn llmtest.Turn
		says string
	}{
		"an event that is not JSON":  {llmtest.Say("Hello").Raw("data: {nonsense\n\n"), "an event that is not valid JSON: {nonsense"},
		"an event of 17 MiB":         {llmtest.Say("Hello").Event(`{"choices":[{"delta":{"content":"` + zeros + `"}}]}`), "an event of more than 16 MiB"},
		"a text without end":         {endless(`{"choices":[{"delta":{"content":"`+zeros[:1<<20]+`"}}]}`, 9), "more than 8 MiB in one reply"},
		"arguments without end":      {llmtest.Turn{}.Event(halfCall).Raw(strings.Repeat("data: "+strings.Replace(halfCall, `{\"p\":`, zeros[:1<<20], 1)+"\n\n", 9)), "more than 8 MiB in one reply"},
		"names of calls without end": {endless(`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"`+zeros[:1<<20]+`"}]}}]}`, 9), "more than 8 MiB in one reply"},
		"details without end":        {endless(`{"choices":[{"delta":{"reasoning_details":[{"type":"reasoning.text","index":0,"text":"`+zeros[:1<<20]+`"}]}}]}`, 9), "more than 8 MiB in one reply"},
		"many details in one event":  {llmtest.Turn{}.Event(`{"choices":[{"delta":{"reasoning_details":[` + strings.TrimSuffix(numbered(`{"index":%d},`, 1000), ",") + `]}}]}`), "more than 256 pieces of reasoning"},
		"events of another API":      {llmtest.Turn{}.NoFinish().Event(`{"model":"m","message":{"role":"assistant","content":"hi"},"done":true}`), "of another API: {\"model\""},
		"no event of any API":        {llmtest.Fail(200, "{}", "Content-Type", "application/json"), "of another API: {}"},
		"an unknown compression":     {llmtest.Fail(200, "xx", "Content-Encoding", "br", "Content-Type", "text/event-stream"), "compressed its answer with br"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := llmtest.New(t, tt.turn)
			client, _ := newClient(t, srv)
			_, err := collect(t.Context(), client, ask("hi"))
			if got := failure(t, err); got.Attempts != 1 || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("got %v (%d attempts)", err, got.Attempts)
			}
		})
	}
}

// A reply with too many calls ends with an error, and the calls before the limit are kept.
func TestCallsWithoutEnd(t *testing.T) {
	t.Parallel()
	for name, turn := range map[string]llmtest.Turn{
		"one an event":         llmtest.Turn{}.Raw(strings.Repeat(`data: {"choices":[{"delta":{"tool_calls":[{"function":{"name":"f","arguments":"{}"}}]}}]}`+"\n\n", 1100)),
		"all of them in one":   llmtest.Turn{}.Event(`{"choices":[{"delta":{"tool_calls":[` + strings.TrimSuffix(numbered(`{"index":%d,"function":{"name":"f","arguments":"{}"}},`, 1100), ",") + `]}}]}`),
		"one more than we run": llmtest.Turn{}.Event(`{"choices":[{"delta":{"tool_calls":[` + strings.TrimSuffix(numbered(`{"index":%d,"function":{"name":"f","arguments":"{}"}},`, 257), ",") + `]}}]}`),
	} {
		client, _ := newClient(t, llmtest.New(t, turn))
		chunks, err := collect(t.Context(), client, ask("hi"))
		n := 0
		for _, chunk := range chunks {
			if call, ok := chunk.(llm.ToolCall); ok && call.Arguments == "{}" {
				n++
			}
		}
		want := 1024
		if name == "one more than we run" {
			want = 257
		}
		if err != nil || n != want {
			t.Errorf("%s: %d calls, %v", name, n, err)
		}
	}
}

// numbered repeats a format with the numbers below n.
func numbered(format string, n int) string {
	var text strings.Builder
	for i := range n {
		fmt.Fprintf(&text, format, i)
	}
	return text.String()
}

// TestEndlessNothing checks that a stream without content ends, however small its compressed form
// is (M10).
func TestEndlessNothing(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("257 MiB through one goroutine")
	}
	var body bytes.Buffer
	packer, _ := gzip.NewWriterLevel(&body, gzip.BestSpeed)
	for range 257 {
		_, _ = io.WriteString(packer, ": "+strings.Repeat("x", 1<<20)+"\n\n")
	}
	_ = packer.Close()
	srv := llmtest.New(t, llmtest.Fail(200, body.String(), "Content-Type", "text/event-stream"))
	client, _ := newClient(t, srv)
	_, err := collect(t.Context(), client, ask("hi"))
	if got := failure(t, err); got.Attempts != 1 || !strings.Contains(err.Error(), "more than 256 MiB in one reply") {
		t.Errorf("got %v (%d attempts)", err, got.Attempts)
	}
}

// TestOddShapes checks that a member with an unexpected type only loses its own value.
func TestOddShapes(t *testing.T) {
	t.Parallel()
	const (
		call   = `{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":"{\"p\":1}"}}`
		finish = `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`
	)
	hi := llm.Text{Delta: "hi"}
	called := []llm.Chunk{llm.ToolCallStarted{Name: "f"}, llm.ToolCall{ID: "a", Name: "f", Arguments: `{"p":1}`}}
	for name, tt := range map[string]struct {
		events []string
		want   []llm.Chunk
		finish string
	}{
		"reasoning that is an object":         {[]string{`{"choices":[{"delta":{"content":"hi","reasoning":{"text":"hm"}}}]}`, finish}, []llm.Chunk{llm.Reasoning{Delta: "hm"}, hi}, "stop"},
		"reasoning that is a number":          {[]string{`{"choices":[{"delta":{"content":"hi","reasoning":7}}]}`, finish}, []llm.Chunk{hi}, "stop"},
		"timings that are a list":             {[]string{`{"choices":[{"delta":{"content":"hi"}}],"timings":[1.5]}`, finish}, []llm.Chunk{hi}, "stop"},
		"timings that are fractions":          {[]string{`{"choices":[{"delta":{"content":"hi"}}],"timings":{"cache_n":1.5}}`, finish}, []llm.Chunk{hi}, "stop"},
		"an index that is a string":           {[]string{`{"choices":[{"index":"0","delta":{"content":"hi"}}]}`, finish}, []llm.Chunk{hi}, "stop"},
		"a finish reason that is a number":    {[]string{`{"choices":[{"delta":{"content":"hi"},"finish_reason":1}]}`}, []llm.Chunk{hi}, "stop"},
		"choices that are an object":          {[]string{`{"choices":{"delta":{"content":"hi"},"finish_reason":"stop"}}`}, []llm.Chunk{hi}, "stop"},
		"choices that are a number":           {[]string{`{"choices":7}`, `{"choices":[{"delta":{"content":"hi"}}]}`, finish}, []llm.Chunk{hi}, "stop"},
		"a delta that is a string":            {[]string{`{"choices":[{"delta":"x"}]}`, `{"choices":[{"delta":{"content":"hi"}}]}`, finish}, []llm.Chunk{hi}, "stop"},
		"an event that is a list":             {[]string{`[1]`, `{"choices":[{"delta":{"content":"hi"}}]}`, finish}, []llm.Chunk{hi}, "stop"},
		"words that are no event":             {[]string{`ping`, `{"choices":[{"delta":{"content":"hi"}}]}`, finish}, []llm.Chunk{hi}, "stop"},
		"content that is a part":              {[]string{`{"choices":[{"delta":{"content":{"type":"text","text":"hi"}}}]}`, finish}, []llm.Chunk{hi}, "stop"},
		"tool calls that are an object":       {[]string{`{"choices":[{"delta":{"tool_calls":` + call + `}}]}`, finish}, called, "stop"},
		"tool calls that are half sense":      {[]string{`{"choices":[{"delta":{"tool_calls":["x",` + call + `,7]}}]}`, finish}, called, "stop"},
		"the older function_call":             {[]string{`{"choices":[{"delta":{"function_call":{"name":"f","arguments":"{\"p\""}}}]}`, `{"choices":[{"delta":{"function_call":{"arguments":":1}"}},"finish_reason":"function_call"}]}`}, []llm.Chunk{called[0], llm.ToolCall{ID: "call_1", Name: "f", Arguments: `{"p":1}`}}, "tool_calls"},
		"calls in a whole message at the end": {[]string{`{"choices":[{"delta":{"content":"hi"}}]}`, `{"choices":[{"delta":{},"message":{"content":"hi","tool_calls":[` + call + `]},"finish_reason":"tool_calls"}]}`}, []llm.Chunk{hi, called[0], called[1]}, "tool_calls"},
		"all of it in a whole message":        {[]string{`{"choices":[{"delta":null,"message":{"reasoning":"hm","content":"hi","tool_calls":[` + call + `]},"finish_reason":"tool_calls"}]}`}, []llm.Chunk{llm.Reasoning{Delta: "hm"}, hi, called[0], called[1]}, "tool_calls"},
		"all of it said again at the end":     {[]string{`{"choices":[{"delta":{"reasoning":"hm"}}]}`, `{"choices":[{"delta":{"content":"hi","tool_calls":[` + call + `]}}]}`, `{"choices":[{"message":{"reasoning":"hm","content":"hi","tool_calls":[` + call + `]},"finish_reason":"tool_calls"}]}`}, []llm.Chunk{llm.Reasoning{Delta: "hm"}, hi, called[0], called[1]}, "tool_calls"},
		"a function_call that is none":        {[]string{`{"choices":[{"delta":{"content":"hi","function_call":{}}}]}`, finish}, []llm.Chunk{hi}, "stop"},
		"an error with nothing in it":         {[]string{`{"error":{},"choices":[{"delta":{"content":"hi"}}]}`, finish}, []llm.Chunk{hi}, "stop"},
		"[done] in small letters":             {[]string{`{"choices":[{"delta":{"content":"hi"}}]}`, `[done]`}, []llm.Chunk{hi}, "stop"},
		"[DONE] after a whole call":           {[]string{`{"choices":[{"delta":{"tool_calls":[` + call + `]}}]}`}, called, "tool_calls"},
		"a finish reason of null as text":     {[]string{`{"choices":[{"delta":{"content":"h"},"finish_reason":"null"}]}`, `{"choices":[{"delta":{"content":"i"}}],"base_resp":{"status_code":0,"status_msg":""}}`, `{"choices":[{"delta":{},"finish_reason":"length"}]}`}, []llm.Chunk{hi}, "length"},
		"[DONE] after a text":                 {[]string{`{"choices":[{"delta":{"content":"hi"}}]}`}, []llm.Chunk{hi}, "stop"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			turn := llmtest.Turn{}.NoFinish()
			for _, event := range tt.events {
				turn = turn.Event(event)
			}
			srv := llmtest.New(t, turn.Event("[DONE]"))
			client, _ := newClient(t, srv)
			got, err := collect(t.Context(), client, ask("hi"))
			if diff := cmp.Diff(append(slices.Clone(tt.want), llm.Finish{Reason: tt.finish}), got); err != nil || diff != "" {
				t.Error(err, diff)
			}
		})
	}
}

// TestUnrequestedCompression checks that a stream that a proxy has compressed is read, with and without
// a Content-Encoding header. The same applies to errors.
func TestUnrequestedCompression(t *testing.T) {
	t.Parallel()
	pack := func(text string) string {
		var b strings.Builder
		w := gzip.NewWriter(&b)
		_, _ = io.WriteString(w, text)
		_ = w.Close()
		return b.String()
	}
	stream := pack("data: {\"choices\":[{\"delta\":{\"content\":\"hi\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
	srv := llmtest.New(t,
		llmtest.Fail(200, stream, "Content-Type", "text/event-stream", "Content-Encoding", "gzip"),
		llmtest.Fail(200, stream, "Content-Type", "text/event-stream"),
		llmtest.Fail(400, pack(`{"error":{"message":"no such thing"}}`), "Content-Encoding", "gzip"))
	client, _ := newClient(t, srv)
	for range 2 {
		got, err := collect(t.Context(), client, ask("hi"))
		if diff := cmp.Diff([]llm.Chunk{llm.Text{Delta: "hi"}, llm.Finish{Reason: "stop"}}, got); err != nil || diff != "" {
			t.Error(err, diff)
		}
	}
	if _, err := collect(t.Context(), client, ask("hi")); !strings.Contains(failure(t, err).Message, "no such thing") {
		t.Error(err)
	}
}

// TestUnreadableCompression checks that a reply that cannot be decompressed is requested only once.
func TestUnreadableCompression(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ encoding, body, says string }{
		{"gzip", "\x1f\x8b\x07no gzip at all", "can't be decompressed"},
		{"br", "no gzip at all", "compressed its answer with br"},
	} {
		srv := llmtest.New(t, llmtest.Fail(200, tt.body, "Content-Type", "text/event-stream", "Content-Encoding", tt.encoding))
		client, _ := newClient(t, srv)
		_, err := collect(t.Context(), client, ask("hi"))
		if f := failure(t, err); !f.Final || !strings.Contains(f.Message, tt.says) {
			t.Errorf("%+v", f)
		}
	}
}

// TestCompleteReplies checks replies that are unusual but complete.
func TestCompleteReplies(t *testing.T) {
	t.Parallel()
	const finish = `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`
	hi := llmtest.Say("hi")
	tests := []struct {
		name string
		turn llmtest.Turn
	}{
		{"without [DONE]", hi.NoUsage().NoDone()},
		{"cut after the finish reason", hi.Event(finish).Cut()},
		{"a last event without its newline", hi.NoFinish().Raw("data: " + finish)},
		{"more keep-alives than the library allows", llmtest.Turn{}.Comments(1000).Say("hi").Comments(1000).NoUsage()},
		{"one line break between events", hi.NoFinish().Raw("data: " + finish + "\ndata: [DONE]\n")},
		{"an event over several lines", hi.NoFinish().Raw("data: {\"choices\":[{\"index\":0,\ndata: \"finish_reason\":\"stop\"}]}\n\n")},
		{"no space after the colon, CRLF, ids and a byte order mark", llmtest.Turn{}.NoFinish().Raw("\ufeffid: 1\r\nretry: 5\r\ndata:{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"hi\"}}]}\r\n\r\ndata:" + finish + "\r\n\r\n")},
		{"a document over several lines, as a stream", llmtest.Fail(200, "{\n  \"choices\": [\n    {\n      \"message\": {\"content\": \"hi\"},\n\n      \"finish_reason\": \"stop\"\n    }\n  ]\n}\n", "Content-Type", "text/event-stream")},
		{"an event a line, as a document", llmtest.Fail(200, "{\"choices\":[{\"delta\":{\"content\":\"hi\"}}]}\n{\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n", "Content-Type", "application/json")},
		{"a refusal", llmtest.Turn{}.Event(`{"choices":[{"index":0,"delta":{"refusal":"hi"}}]}`).NoUsage()},
		{"content in parts", llmtest.Turn{}.Event(`{"choices":[{"index":0,"delta":{"content":[{"type":"text","text":"hi"}]}}]}`).NoUsage()},
		{"a second choice", hi.Event(`{"choices":[{"index":1,"delta":{"content":"other"},"finish_reason":"stop"}]}`).NoUsage()},
		{"a stream announced as a document", llmtest.Fail(200, ": hello\n\ndata: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"hi\"},\"finish_reason\":\"stop\"}]}\n\n")},
		{"usage of an unknown shape", hi.Event(`{"choices":[],"usage":[7]}`).NoUsage()},
		{"a server that does not stream", llmtest.Fail(200, "{\"object\":\"chat.completion\",\n\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\"hi\"},\"finish_reason\":\"stop\"}]}\n")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			srv := llmtest.New(t, tt.turn)
			client, _ := newClient(t, srv)
			got, err := collect(t.Context(), client, ask("hi"))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]llm.Chunk{llm.Text{Delta: "hi"}, llm.Finish{Reason: "stop"}}, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestReasoningUnderAllNames(t *testing.T) {
	t.Parallel()
	event := func(fields string) string {
		return fmt.Sprintf(`{"choices":[{"index":0,"delta":{"content":null,%s}}]}`, fields)
	}
	srv := llmtest.New(t, llmtest.Turn{}.
		Event(event(`"reasoning":"a"`)).
		Event(event(`"reasoning_content":"b"`)).
		Event(event(`"reasoning":"c","reasoning_content":"c"`)).
		Event(event(`"reasoning_text":"d"`)).NoUsage())
	client, _ := newClient(t, srv)
	got, err := collect(t.Context(), client, ask("hi"))
	want := []llm.Chunk{llm.Reasoning{Delta: "a"}, llm.Reasoning{Delta: "b"}, llm.Reasoning{Delta: "c"}, llm.Reasoning{Delta: "d"}, llm.Finish{Reason: "stop"}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Error(err, diff)
	}
}

func TestUsageForms(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		event string
		want  llm.Usage
	}{
		"OpenAI":                     {`{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":4}}}`, llm.Usage{PromptTokens: 9, CompletionTokens: 2, CachedTokens: 4}},
		"DeepSeek":                   {`{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":2,"prompt_cache_hit_tokens":5}}`, llm.Usage{PromptTokens: 9, CompletionTokens: 2, CachedTokens: 5}},
		"Moonshot":                   {`{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":2,"cached_tokens":6}}`, llm.Usage{PromptTokens: 9, CompletionTokens: 2, CachedTokens: 6}},
		"llama.cpp":                  {`{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":2},"timings":{"cache_n":7}}`, llm.Usage{PromptTokens: 9, CompletionTokens: 2, CachedTokens: 7}},
		"written":                    {`{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":4,"cache_write_tokens":3}}}`, llm.Usage{PromptTokens: 9, CompletionTokens: 2, CachedTokens: 4, CacheWriteTokens: 3}},
		"Anthropic":                  {`{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":2,"cache_creation_input_tokens":3}}`, llm.Usage{PromptTokens: 9, CompletionTokens: 2, CacheWriteTokens: 3}},
		"in the choice (Moonshot)":   {`{"choices":[{"index":0,"delta":{},"usage":{"prompt_tokens":9,"completion_tokens":2,"cached_tokens":6}}]}`, llm.Usage{PromptTokens: 9, CompletionTokens: 2, CachedTokens: 6}},
		"thinking in the total only": {`{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":20}}`, llm.Usage{PromptTokens: 9, CompletionTokens: 11}},
		"reasoning":                  {`{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":20,"completion_tokens_details":{"reasoning_tokens":15}}}`, llm.Usage{PromptTokens: 9, CompletionTokens: 20, ThinkingTokens: 15}},
		"thinking":                   {`{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":20,"output_tokens_details":{"thinking_tokens":99}}}`, llm.Usage{PromptTokens: 9, CompletionTokens: 20, ThinkingTokens: 20}},
		"too much":                   {`{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":2,"cached_tokens":60}}`, llm.Usage{PromptTokens: 9, CompletionTokens: 2, CachedTokens: 9}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// A server may report the usage several times. Only the last report counts.
			srv := llmtest.New(t, llmtest.Turn{}.Event(`{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1}}`).
				Event(`{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`).Event(tt.event).Event("[DONE]").NoFinish())
			client, _ := newClient(t, srv)
			got, err := collect(t.Context(), client, ask("hi"))
			if diff := cmp.Diff([]llm.Chunk{tt.want, llm.Finish{Reason: "stop"}}, got); err != nil || diff != "" {
				t.Error(err, diff)
			}
		})
	}
}
