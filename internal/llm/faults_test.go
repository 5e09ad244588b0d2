package llm_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agent/internal/llm"
	"agent/internal/llm/llmtest"
)

// TestRefusals: every answer of a server that is not a reply becomes an error of
// the right kind that says what happened, where, and what to do; only those that
// may pass are tried again.
func TestRefusals(t *testing.T) {
	t.Parallel()
	const rate = `{"error":{"message":"Rate limit reached","type":"requests","code":"rate_limit_exceeded"}}`
	tests := []struct {
		name     string
		turn     llmtest.Turn
		kind     llm.ErrorKind
		attempts int
		says     []string
	}{
		{"400", llmtest.Fail(400, `{"error":{"message":"Invalid value: 'x'","type":"invalid_request_error"}}`), llm.BadRequest, 1, []string{"Bad Request (400): Invalid value: 'x'", "/v1, model m", "agent doctor"}},
		{"422 of FastAPI", llmtest.Fail(422, `{"detail":[{"loc":["body","messages"],"msg":"field required"}]}`), llm.BadRequest, 1, []string{"field required"}},
		{"401", llmtest.Fail(401, `{"error":{"message":"Incorrect API key provided: sk-tes****6789."}}`), llm.Auth, 1, []string{"Unauthorized (401)", "[key]", "OPENAI_API_KEY"}},
		{"403", llmtest.Fail(403, `{"error":"forbidden"}`), llm.Auth, 1, []string{"Forbidden (403): forbidden"}},
		{"402", llmtest.Fail(402, `{"error":{"message":"Insufficient credits"}}`), llm.RateLimit, 1, []string{"Insufficient credits", "add credit"}},
		{"404 for a model", llmtest.Fail(404, `{"error":{"message":"The model 'm' does not exist","code":"model_not_found"}}`), llm.ModelNotFound, 1, []string{"does not exist", "set model"}},
		{"404 for a model at Ollama", llmtest.Fail(404, `{"error":{"message":"model \"m\" not found, try pulling it first"}}`), llm.ModelNotFound, 1, []string{"try pulling"}},
		{"400 for a model at OpenRouter", llmtest.Fail(400, `{"error":{"message":"m is not a valid model ID","code":400}}`), llm.ModelNotFound, 1, []string{"not a valid model ID"}},
		{"404 for the path", llmtest.Fail(404, `{"error":{"message":"File Not Found"}}`), llm.NotAnAPI, 1, []string{"Not Found (404)", "base-url", "/v1"}},
		{"404 as plain text", llmtest.Fail(404, "404 page not found\n"), llm.NotAnAPI, 1, []string{"404 page not found", "/v1"}},
		{"404 as a web page that mentions models", llmtest.Fail(404, "<html>our models</html>"), llm.NotAnAPI, 1, []string{"web page"}},
		{"405", llmtest.Fail(405, ``), llm.NotAnAPI, 1, []string{"Method Not Allowed (405)"}},
		{"501 of a file server", llmtest.HTML(501), llm.NotAnAPI, 1, []string{"web page", "base-url"}},
		{"200 with HTML", llmtest.HTML(200), llm.NotAnAPI, 1, []string{"web page", "base-url", "/v1"}},
		{"200 with text", llmtest.Fail(200, "It works!", "Content-Type", "text/plain"), llm.NotAnAPI, 1, []string{"It works!", "base-url"}},
		{"200 with broken JSON", llmtest.Fail(200, `{"a`), llm.NotAnAPI, 1, []string{"base-url"}},
		{"a redirect", llmtest.Fail(308, ``, "Location", "https://other.example/v1/chat/completions?k=1"), llm.NotAnAPI, 1, []string{"redirects to https://other.example/v1/chat/completions;", "base-url"}},
		{"429", llmtest.Fail(429, rate), llm.RateLimit, 5, []string{"Too Many Requests (429): Rate limit reached", "(5 attempts)"}},
		{"429 for the quota", llmtest.Fail(429, `{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}`), llm.RateLimit, 1, []string{"quota", "add credit"}},
		{"500", llmtest.Fail(500, `{"error":{"message":"boom"}}`), llm.Unavailable, 5, []string{"Internal Server Error (500): boom", "try again later"}},
		{"500 without a body", llmtest.Fail(500, ``), llm.Unavailable, 5, []string{"Internal Server Error (500)"}},
		{"502 with HTML", llmtest.HTML(502), llm.Unavailable, 5, []string{"Bad Gateway (502): answered with a web page"}},
		{"503 while llama.cpp loads", llmtest.Fail(503, `{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}`), llm.Unavailable, 5, []string{"still loading"}},
		{"529", llmtest.Fail(529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`), llm.Unavailable, 5, []string{"status 529: Overloaded"}},
		{"408", llmtest.Fail(408, ``), llm.Unavailable, 5, []string{"Request Timeout (408)"}},
		{"413", llmtest.HTML(413), llm.ContextOverflow, 1, []string{"/compress"}},
		{"llama.cpp without templates", llmtest.Fail(500, `{"error":{"message":"tools param requires --jinja flag"}}`), llm.BadRequest, 1, []string{"llama-server with --jinja"}},
		{"vLLM without a tool parser", llmtest.Fail(400, `{"object":"error","message":"\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set","code":400}`), llm.BadRequest, 1, []string{"start vLLM with"}},
		{"a model without tools", llmtest.Fail(400, `{"error":{"message":"gemma does not support tools"}}`), llm.BadRequest, 1, []string{"supports tool calls"}},
		{"tools with reasoning on another API", llmtest.Fail(400, `{"error":{"message":"Function tools with reasoning_effort are not supported in /v1/chat/completions. Please use /v1/responses instead."}}`), llm.BadRequest, 1, []string{"reasoning.effort to none"}},
		{"a router quotes the provider", llmtest.Fail(400, `{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"bad schema"}}}`), llm.BadRequest, 1, []string{"Provider returned error: bad schema"}},
		{"Google's list", llmtest.Fail(400, `[{"error":{"code":400,"message":"API key not valid","status":"INVALID_ARGUMENT"}}]`), llm.BadRequest, 1, []string{"API key not valid"}},
		{"control characters", llmtest.Fail(400, "oops\x1b[2J\nthere"), llm.BadRequest, 1, []string{"oops [2J there"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			srv := llmtest.NewFunc(t, func(*llmtest.Request) llmtest.Turn { return tt.turn })
			client, _ := newClient(t, srv)
			_, err := collect(t.Context(), client, ask("hi"))
			got := failure(t, err)
			if got.Kind != tt.kind || got.Attempts != tt.attempts || len(srv.Requests()) != tt.attempts {
				t.Errorf("kind %d after %d attempts (%d requests), want %d after %d", got.Kind, got.Attempts, len(srv.Requests()), tt.kind, tt.attempts)
			}
			for _, words := range append(tt.says, srv.URL) {
				if !strings.Contains(err.Error(), words) {
					t.Errorf("%q does not say %q", err, words)
				}
			}
			if strings.ContainsAny(err.Error(), "<>\x1b\n") || strings.Contains(err.Error(), "6789") {
				t.Errorf("%q carries HTML, control characters or a part of the key", err)
			}
		})
	}
}

// TestInStreamErrors: an error within a stream with status 200 is an error, in
// every form servers have for it, and not the end of a reply.
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
		{"by the book", hello.Raw(`data: {"error":{"message":"boom","type":"server_error"}}` + "\n\n"), llm.Unavailable, 5, "boom"},
		{"with a space, which the library swallows", hello.Raw(`data: { "error": {"message":"boom"}}` + "\n\n"), llm.Unavailable, 5, "boom"},
		{"as a string", hello.Raw(`data: {"error":"boom"}` + "\n\n"), llm.Unavailable, 5, "boom"},
		{"with a code that is a status", hello.Event(`{"error":{"code":429,"message":"slow down"}}`), llm.RateLimit, 5, "Too Many Requests (429): slow down"},
		{"by type", hello.Event(`{"error":{"type":"rate_limit_error","message":"slow down"}}`), llm.RateLimit, 5, "slow down"},
		{"a bad request", hello.Event(`{"error":{"type":"invalid_request_error","message":"no"}}`), llm.BadRequest, 1, "no"},
		{"a refused key", hello.Event(`{"error":{"type":"authentication_error","message":"who?"}}`), llm.Auth, 1, "who?"},
		{"beside choices (OpenRouter)", hello.Event(`{"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}],"error":{"code":502,"message":"upstream died"}}`), llm.Unavailable, 5, "upstream died"},
		{"an event named error", hello.Raw("event: error\ndata: {\"message\":\"boom\"}\n\n"), llm.Unavailable, 5, "boom"},
		{"a bare object", hello.Raw("{\"error\":{\"message\":\"boom\"}}\n"), llm.Unavailable, 5, "boom"},
		{"over several lines", hello.Raw("data: {\"error\":\ndata: {\"message\":\"boom\"}}\n\n"), llm.Unavailable, 5, "boom"},
		{"vLLM's flat form", hello.Event(`{"object":"error","message":"boom","error":"x","code":400}`), llm.BadRequest, 1, "boom"},
		{"FastAPI's detail", hello.Event(`{"detail":"boom"}`), llm.Unavailable, 5, "boom"},
		{"JSON with status 200", llmtest.Fail(200, "{\n \"error\": {\"message\": \"boom\"}\n}"), llm.Unavailable, 5, "boom"},
		{"no words at all", hello.Event(`{"error":{"weird":1}}`), llm.Unavailable, 5, "weird"},
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

// TestTextAboutErrorsIsNoError: the words of a model are not mistaken for a fault.
func TestTextAboutErrorsIsNoError(t *testing.T) {
	t.Parallel()
	srv := llmtest.New(t, llmtest.Say(`{"error":"x"}`, ` "detail"`).Event(`{"error":null,"choices":[{"index":0,"delta":{"content":"!"}}]}`))
	client, _ := newClient(t, srv)
	got, err := collect(t.Context(), client, ask("hi"))
	if err != nil || got[0] != (llm.Text{Delta: `{"error":"x"} "detail"!`}) {
		t.Errorf("got %v, %v", got, err)
	}
}

// TestBrokenStreams: a reply counts only with its finish reason. What broke off is
// asked for again, and the deltas handed out are declared void.
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
		{"ends with [DONE] but no finish reason", llmtest.Say("Hello").NoFinish().Event("[DONE]"), true},
		{"ends within arguments", long.NoFinish(), true},
		{"an event that is not JSON", llmtest.Say("Hello").Raw("data: {nonsense\n\n"), true},
		{"an event of the wrong shape", llmtest.Say("Hello").Event(`{"choices":7}`), true},
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
			at := slices.IndexFunc(got, func(c llm.Chunk) bool { _, ok := c.(llm.Retrying); return ok })
			if at < 0 {
				t.Fatalf("no Retrying in %v", got)
			}
			retrying := got[at].(llm.Retrying)
			if retrying.Attempt != 2 || retrying.Delay != 500*time.Millisecond || retrying.Discard != tt.discard || !strings.Contains(retrying.Reason, srv.URL) {
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

func TestBrokenStreamsAreGivenUp(t *testing.T) {
	t.Parallel()
	srv := llmtest.NewFunc(t, func(*llmtest.Request) llmtest.Turn { return llmtest.Say("Hello").NoFinish() })
	client, _ := newClient(t, srv)
	_, err := collect(t.Context(), client, ask("hi"))
	if got := failure(t, err); got.Kind != llm.Truncated || got.Attempts != 5 || !strings.Contains(err.Error(), "before it was complete") {
		t.Errorf("got %v (kind %d, %d attempts)", err, got.Kind, got.Attempts)
	}
}

// TestCompleteReplies: what looks unusual and is a whole reply all the same.
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
		{"a refusal", llmtest.Turn{}.Event(`{"choices":[{"index":0,"delta":{"refusal":"hi"}}]}`).NoUsage()},
		{"content in parts", llmtest.Turn{}.Event(`{"choices":[{"index":0,"delta":{"content":[{"type":"text","text":"hi"}]}}]}`).NoUsage()},
		{"a second choice", hi.Event(`{"choices":[{"index":1,"delta":{"content":"other"},"finish_reason":"stop"}]}`).NoUsage()},
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

func TestReasoningUnderBothNames(t *testing.T) {
	t.Parallel()
	event := func(fields string) string {
		return fmt.Sprintf(`{"choices":[{"index":0,"delta":{"content":null,%s}}]}`, fields)
	}
	srv := llmtest.New(t, llmtest.Turn{}.
		Event(event(`"reasoning":"a"`)).
		Event(event(`"reasoning_content":"b"`)).
		Event(event(`"reasoning":"c","reasoning_content":"c"`)).NoUsage())
	client, _ := newClient(t, srv)
	got, err := collect(t.Context(), client, ask("hi"))
	want := []llm.Chunk{llm.Reasoning{Delta: "a"}, llm.Reasoning{Delta: "b"}, llm.Reasoning{Delta: "c"}, llm.Finish{Reason: "stop"}}
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
		"OpenAI":    {`{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":4}}}`, llm.Usage{PromptTokens: 9, CompletionTokens: 2, CachedTokens: 4}},
		"DeepSeek":  {`{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":2,"prompt_cache_hit_tokens":5}}`, llm.Usage{PromptTokens: 9, CompletionTokens: 2, CachedTokens: 5}},
		"Moonshot":  {`{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":2,"cached_tokens":6}}`, llm.Usage{PromptTokens: 9, CompletionTokens: 2, CachedTokens: 6}},
		"llama.cpp": {`{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":2},"timings":{"cache_n":7}}`, llm.Usage{PromptTokens: 9, CompletionTokens: 2, CachedTokens: 7}},
		"too much":  {`{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":2,"cached_tokens":60}}`, llm.Usage{PromptTokens: 9, CompletionTokens: 2, CachedTokens: 9}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// A server may report as it goes; only the last report counts.
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

// TestServersWithoutStreamOptions: the field is dropped, for good, when a server
// refuses it.
func TestServersWithoutStreamOptions(t *testing.T) {
	t.Parallel()
	refuse := llmtest.Fail(422, `{"detail":[{"loc":["body","stream_options"],"msg":"stream_options: Extra inputs are not permitted"}]}`)
	srv := llmtest.New(t, refuse, llmtest.Say("one").NoUsage(), llmtest.Say("two").NoUsage())
	client, waited := newClient(t, srv)
	for _, want := range []string{"one", "two"} {
		got, err := collect(t.Context(), client, ask("hi"))
		if diff := cmp.Diff([]llm.Chunk{llm.Text{Delta: want}, llm.Finish{Reason: "stop"}}, got); err != nil || diff != "" {
			t.Error(err, diff)
		}
	}
	for i, r := range srv.Requests() {
		if _, has := r.Fields["stream_options"]; has != (i == 0) {
			t.Errorf("request %d: stream_options %v", i, has)
		}
	}
	if len(waited.list) != 0 {
		t.Errorf("waited %v", waited.list)
	}
}

// TestUnreachable: nothing listens. That is told within seconds.
func TestUnreachable(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	base := "http://" + listener.Addr().String() + "/v1"
	_ = listener.Close()
	w := &waits{}
	client := llm.NewClient(llm.ClientConfig{BaseURL: base, Transport: &http.Transport{}, Sleep: w.sleep, Jitter: func() float64 { return 1 }})
	_, err = collect(t.Context(), client, ask("hi"))
	got := failure(t, err)
	if got.Kind != llm.Unavailable || got.Attempts != 3 || !strings.Contains(err.Error(), base) || !strings.Contains(err.Error(), "start the server") {
		t.Errorf("got %v (kind %d, %d attempts)", err, got.Kind, got.Attempts)
	}
	if diff := cmp.Diff([]time.Duration{time.Second, 2 * time.Second}, w.list); diff != "" {
		t.Error(diff)
	}
}

// roundTripper answers without a network.
type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestConnectionFaults(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		err      error
		kind     llm.ErrorKind
		attempts int
		says     string
	}{
		"unknown host":       {&net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", Name: "nowhere.example", IsNotFound: true}}, llm.Unavailable, 3, "the host nowhere.example is not known"},
		"no route":           {&net.OpError{Op: "dial", Err: errors.New("no route to host")}, llm.Unavailable, 3, "no route to host"},
		"reset":              {errors.New("connection reset by peer"), llm.Unavailable, 5, "connection reset by peer"},
		"HTTP behind https":  {errors.New("http: server gave HTTP response to HTTPS client"), llm.NotAnAPI, 1, "write http://"},
		"another protocol":   {errors.New(`net/http: HTTP/1.x transport connection broken: malformed HTTP response "\x15\x03"`), llm.NotAnAPI, 1, "https://"},
		"a key in the cause": {errors.New("proxy refused sk-test-0123456789"), llm.Unavailable, 5, "refused [key]"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client := llm.NewClient(llm.ClientConfig{
				BaseURL: "https://user:secret@host.example/v1", Key: "sk-test-0123456789",
				Transport: roundTripper(func(*http.Request) (*http.Response, error) { return nil, tt.err }),
				Sleep:     (&waits{}).sleep,
			})
			_, err := collect(t.Context(), client, ask("hi"))
			got := failure(t, err)
			if got.Kind != tt.kind || got.Attempts != tt.attempts || !strings.Contains(err.Error(), tt.says) || !errors.Is(err, tt.err) {
				t.Errorf("got %v (kind %d, %d attempts)", err, got.Kind, got.Attempts)
			}
			if strings.Contains(err.Error(), "secret") {
				t.Errorf("%q shows a password", err)
			}
		})
	}
}

func TestRetryDelays(t *testing.T) {
	t.Parallel()
	rate := func(headers ...string) llmtest.Turn {
		return llmtest.Fail(429, `{"error":{"message":"slow"}}`, headers...)
	}
	for name, tt := range map[string]struct {
		turns []llmtest.Turn
		want  []time.Duration
		fails string
	}{
		"backoff doubles, jitter halves it here": {
			[]llmtest.Turn{llmtest.HTML(502), rate(), llmtest.Drop(), llmtest.HTML(503), llmtest.Say("hi")},
			[]time.Duration{500 * time.Millisecond, time.Second, 2 * time.Second, 4 * time.Second}, "",
		},
		"Retry-After in seconds":      {[]llmtest.Turn{rate("Retry-After", "7"), llmtest.Say("hi")}, []time.Duration{7 * time.Second}, ""},
		"Retry-After as a date":       {[]llmtest.Turn{rate("Retry-After", "Sat, 21 Nov 2026 12:00:09 GMT"), llmtest.Say("hi")}, []time.Duration{9 * time.Second}, ""},
		"Retry-After in milliseconds": {[]llmtest.Turn{rate("Retry-After-Ms", "1500", "Retry-After", "2"), llmtest.Say("hi")}, []time.Duration{1500 * time.Millisecond}, ""},
		"Retry-After with 503":        {[]llmtest.Turn{llmtest.Fail(503, "", "Retry-After", "3"), llmtest.Say("hi")}, []time.Duration{3 * time.Second}, ""},
		"a date that has passed":      {[]llmtest.Turn{rate("Retry-After", "Sat, 21 Nov 2026 11:00:00 GMT"), llmtest.Say("hi")}, []time.Duration{500 * time.Millisecond}, ""},
		"nonsense":                    {[]llmtest.Turn{rate("Retry-After", "soon"), llmtest.Say("hi")}, []time.Duration{500 * time.Millisecond}, ""},
		"negative":                    {[]llmtest.Turn{rate("Retry-After", "-5"), llmtest.Say("hi")}, []time.Duration{500 * time.Millisecond}, ""},
		"the longest wait":            {[]llmtest.Turn{rate("Retry-After", "120"), llmtest.Say("hi")}, []time.Duration{2 * time.Minute}, ""},
		"more than anybody waits for": {[]llmtest.Turn{rate("Retry-After", "3600")}, nil, "it asks to wait 1h0m0s"},
		"more than a duration holds":  {[]llmtest.Turn{rate("Retry-After", "1e300")}, nil, "it asks to wait 8760h0m0s"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := llmtest.New(t, tt.turns...)
			client, waited := newClient(t, srv)
			_, err := collect(t.Context(), client, ask("hi"))
			if diff := cmp.Diff(tt.want, waited.list); diff != "" {
				t.Error(diff)
			}
			if tt.fails == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if got := failure(t, err); got.Kind != llm.RateLimit || got.RetryAfter == 0 || !strings.Contains(err.Error(), tt.fails) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// TestNoRetryAfterTheEnd: once ctx has ended nothing is sent or awaited, and the
// error is ctx's own.
func TestNoRetryAfterTheEnd(t *testing.T) {
	t.Parallel()
	tests := map[string]func(cancel context.CancelFunc) ([]llmtest.Turn, func(llm.Chunk)){
		"while waiting": func(cancel context.CancelFunc) ([]llmtest.Turn, func(llm.Chunk)) {
			return []llmtest.Turn{llmtest.HTML(502)}, func(c llm.Chunk) {
				if _, ok := c.(llm.Retrying); ok {
					cancel()
				}
			}
		},
		"while text comes": func(cancel context.CancelFunc) ([]llmtest.Turn, func(llm.Chunk)) {
			return []llmtest.Turn{llmtest.Say("hi").Hang()}, func(llm.Chunk) { cancel() }
		},
	}
	for name, prepare := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			turns, on := prepare(cancel)
			srv := llmtest.New(t, turns...)
			client, _ := newClient(t, srv)
			var last error
			for chunk, err := range client.Stream(ctx, ask("hi")) {
				if last = err; err == nil {
					on(chunk)
				}
			}
			if !errors.Is(last, context.Canceled) || len(srv.Requests()) != 1 {
				t.Errorf("got %v after %d requests", last, len(srv.Requests()))
			}
		})
	}
}

func TestCancelledBeforeTheStart(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	srv := llmtest.New(t)
	client, _ := newClient(t, srv)
	if _, err := collect(ctx, client, ask("hi")); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// TestLeavingEarly: the consumer stops; the request is cancelled at the server and
// nothing more is handed out (goroutines are checked by TestMain).
func TestLeavingEarly(t *testing.T) {
	t.Parallel()
	for _, after := range []int{1, 2, 3} {
		srv := llmtest.New(t, llmtest.Say("a", "b", "c").Hang())
		client, _ := newClient(t, srv)
		got := 0
		for range client.Stream(t.Context(), ask("hi")) {
			if got++; got == after {
				break
			}
		}
		if got != after {
			t.Errorf("%d chunks, want %d", got, after)
		}
	}
}

// TestLeavingAtTheRetry: no second request follows.
func TestLeavingAtTheRetry(t *testing.T) {
	t.Parallel()
	srv := llmtest.New(t, llmtest.HTML(502))
	client, waited := newClient(t, srv)
	for range client.Stream(t.Context(), ask("hi")) {
		break
	}
	if len(srv.Requests()) != 1 || len(waited.list) != 0 {
		t.Errorf("%d requests, waited %v", len(srv.Requests()), waited.list)
	}
}

// TestConnectionsAreKept: fifty requests, errors among them, go over one
// connection, and Warm has opened it before.
func TestConnectionsAreKept(t *testing.T) {
	t.Parallel()
	srv := llmtest.NewFunc(t, func(r *llmtest.Request) llmtest.Turn {
		if r.Number%10 == 5 {
			return llmtest.Fail(500, `{"error":{"message":"boom"}}`)
		}
		return llmtest.Say("hi").Call("f", `{}`)
	})
	dials := 0
	client, _ := newClient(t, srv, func(c *llm.ClientConfig) {
		var dialer net.Dialer
		c.Transport = &http.Transport{DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			dials++
			return dialer.DialContext(ctx, network, address)
		}}
	})
	client.Warm(t.Context())
	for range 45 {
		if _, err := collect(t.Context(), client, ask("hi")); err != nil {
			t.Fatal(err)
		}
	}
	if dials != 1 {
		t.Errorf("%d connections", dials)
	}
}
