package openai_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/llm/openai"
	"agent/internal/testing/llmtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// waits records the waits between attempts instead of waiting.
type waits struct {
	mu   sync.Mutex
	list []time.Duration
}

func (w *waits) sleep(ctx context.Context, d time.Duration) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.list = append(w.list, d)
	return ctx.Err()
}

// fiveAttempts returns the retry policy of tests that count attempts.
func fiveAttempts() *llm.Patience {
	patience := llm.DefaultPatience()
	patience.Retries = 4
	return &patience
}

// newClient returns a client for srv that does not wait between attempts and uses no random
// numbers.
func newClient(t *testing.T, srv *llmtest.Server, change ...func(*openai.Config)) (*openai.Client, *waits) {
	t.Helper()
	w := &waits{}
	config := openai.Config{
		BaseURL: srv.URL, Key: "sk-test-0123456789",
		Transport: &http.Transport{DisableCompression: true},
		Retry:     llm.RetryPolicy{Sleep: w.sleep, Jitter: func() float64 { return 0.5 }},
		Now:       func() time.Time { return time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC) },
	}
	for _, f := range change {
		f(&config)
	}
	client := openai.NewClient(config)
	t.Cleanup(client.Close)
	return client, w
}

func ask(text string) llm.Request {
	return llm.Request{Model: "m", History: []*history.Content{history.HumanText(text)}, Patience: fiveAttempts()}
}

// collect reads a reply to its end. It joins consecutive text deltas and omits attachments, which
// other tests check.
func collect(ctx context.Context, p llm.Provider, req llm.Request) ([]llm.Chunk, error) {
	var chunks []llm.Chunk
	for chunk, err := range p.Stream(ctx, req) {
		if err != nil {
			return chunks, err
		}
		if _, attached := chunk.(llm.ReasoningAttachment); attached {
			continue
		}
		if n := len(chunks); n > 0 {
			if last, ok := chunks[n-1].(llm.Text); ok {
				if next, ok := chunk.(llm.Text); ok {
					chunks[n-1] = llm.Text{Delta: last.Delta + next.Delta}
					continue
				}
			}
		}
		chunks = append(chunks, chunk)
	}
	return chunks, nil
}

func failure(t *testing.T, err error) *llm.Error {
	t.Helper()
	var failure *llm.Error
	if !errors.As(err, &failure) {
		t.Fatalf("got %v (%T), want an *llm.Error", err, err)
	}
	return failure
}

func TestReply(t *testing.T) {
	t.Parallel()
	srv := llmtest.New(t, llmtest.Think("let me ", "see").Say("Hel", "lo").
		Call("read_file", `{"file_path":"a.txt"}`).Call("glob", `{"pattern":"*"}`).Usage(100, 20, 80))
	client, _ := newClient(t, srv)
	got, err := collect(t.Context(), client, ask("hi"))
	if err != nil {
		t.Fatal(err)
	}
	want := []llm.Chunk{
		llm.Reasoning{Delta: "let me "},
		llm.Reasoning{Delta: "see"},
		llm.Text{Delta: "Hello"},
		llm.ToolCallStarted{Name: "read_file"},
		llm.ToolCallStarted{Name: "glob"},
		llm.ToolCall{ID: "call_1", Name: "read_file", Arguments: `{"file_path":"a.txt"}`},
		llm.ToolCall{ID: "call_2", Name: "glob", Arguments: `{"pattern":"*"}`},
		llm.Usage{PromptTokens: 100, CompletionTokens: 20, CachedTokens: 80},
		llm.Finish{Reason: "tool_calls"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	request := srv.Requests()[0]
	if got := request.Header.Get("Authorization"); got != "Bearer sk-test-0123456789" {
		t.Errorf("Authorization %q", got)
	}
	if got := string(request.Fields["stream_options"]); !strings.Contains(got, `"include_usage":true`) {
		t.Errorf("stream_options %s", got)
	}
}

// TestKeysStayInside checks that no message contains the API key, even if a server repeats it.
func TestKeysStayInside(t *testing.T) {
	t.Parallel()
	const key = "0123-my-own-key"
	for name, turn := range map[string]llmtest.Turn{
		"status":    llmtest.Fail(401, `{"error":{"message":"wrong key 0123-my-own-key"}}`),
		"in stream": llmtest.Turn{}.Event(`{"error":{"message":"wrong key 0123-my-own-key","type":"invalid_request_error"}}`),
		"no API":    llmtest.Fail(200, "Bearer 0123-my-own-key", "Content-Type", "text/plain"),
		"redirect":  llmtest.Fail(301, "", "Location", "https://other.example/0123-my-own-key"),
	} {
		for where, with := range map[string]func(*openai.Config){
			"key":       func(c *openai.Config) { c.Key = key },
			"header":    func(c *openai.Config) { c.Headers = map[string]string{"X-Api-Key": key} },
			"of scheme": func(c *openai.Config) { c.Headers = map[string]string{"Authorization": "Bearer " + key} },
		} {
			t.Run(name+" "+where, func(t *testing.T) {
				t.Parallel()
				srv := llmtest.New(t, turn)
				client, _ := newClient(t, srv, with)
				_, err := collect(t.Context(), client, ask("hi"))
				if said := failure(t, err).Error(); strings.Contains(said, "my-own") || !strings.Contains(said, "[key]") {
					t.Error(said)
				}
			})
		}
	}
}

// If a server lacks the path of this API and the model is a Claude model, the hint names the
// Messages API.
func TestHintsNameTheMessagesAPI(t *testing.T) {
	t.Parallel()
	for model, want := range map[string]bool{"claude-opus-5-5": true, "anthropic/claude-haiku-4-5": true, "gpt-6": false} {
		srv := llmtest.New(t, llmtest.Fail(404, "404 page not found", "Content-Type", "text/plain"))
		client, _ := newClient(t, srv)
		req := ask("hi")
		req.Model = model
		_, err := collect(t.Context(), client, req)
		if hint := failure(t, err).Hint; strings.Contains(hint, "--api messages") != want || !strings.Contains(hint, "check base-url") {
			t.Errorf("%s: %s", model, hint)
		}
	}
}

// A hint names the key variable of the provider in use.
func TestHintsNameTheKey(t *testing.T) {
	t.Parallel()
	srv := llmtest.New(t, llmtest.Fail(401, `{"error":{"message":"wrong key"}}`))
	client, _ := newClient(t, srv, func(c *openai.Config) { c.KeyHelp = "VENDOR_API_KEY, agent login vendor" })
	_, err := collect(t.Context(), client, ask("hi"))
	if hint := failure(t, err).Hint; hint != "check VENDOR_API_KEY, agent login vendor or the profile's auth-keyfile" {
		t.Error(hint)
	}
}

// TestMissingKey checks the hint after a request without an API key.
func TestMissingKey(t *testing.T) {
	t.Parallel()
	srv := llmtest.New(t, llmtest.Fail(401, `{"error":{"message":"You didn't provide an API key."}}`))
	client, _ := newClient(t, srv, func(c *openai.Config) { c.Key = "" })
	_, err := collect(t.Context(), client, ask("hi"))
	if said := failure(t, err).Error(); !strings.Contains(said, "API key; set OPENAI_API_KEY") {
		t.Error(said)
	}
}

// TestOwnTransport checks that a client without a configured transport creates one, and that it
// does not request compressed streams.
func TestOwnTransport(t *testing.T) {
	t.Parallel()
	srv := llmtest.New(t, llmtest.Say("hi").CallID("", "f", `{}`))
	client, _ := newClient(t, srv, func(c *openai.Config) { c.Transport, c.Key = nil, "" })
	if _, err := collect(t.Context(), client, ask("hi")); err != nil {
		t.Fatal(err)
	}
	header := srv.Requests()[0].Header
	if header.Get("Accept-Encoding") != "" || header.Get("Authorization") != "" {
		t.Errorf("headers %v", header)
	}
}

// TestMadeIDs checks that calls without an id receive unique ids.
func TestMadeIDs(t *testing.T) {
	t.Parallel()
	bare := llmtest.Turn{}.Event(`{"choices":[{"index":0,"delta":{"tool_calls":[{"function":{"name":"f","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}`).NoUsage()
	srv := llmtest.New(t, bare, bare)
	client, _ := newClient(t, srv)
	ids := map[string]bool{}
	for range 2 {
		chunks, err := collect(t.Context(), client, ask("hi"))
		if err != nil {
			t.Fatal(err)
		}
		for _, chunk := range chunks {
			if call, ok := chunk.(llm.ToolCall); ok {
				ids[call.ID] = true
			}
		}
	}
	if len(ids) != 2 || ids[""] {
		t.Errorf("ids %v", ids)
	}
}

// BenchmarkReply streams a reply of 3,000 chunks over loopback. The measured time includes the
// server.
func BenchmarkReply(b *testing.B) {
	deltas := make([]string, 3000)
	for i := range deltas {
		deltas[i] = "some words "
	}
	turn := llmtest.Say(deltas...)
	srv := llmtest.NewFunc(b, func(*llmtest.Request) llmtest.Turn { return turn })
	client := openai.NewClient(openai.Config{BaseURL: srv.URL, Transport: &http.Transport{}})
	b.Cleanup(client.Close)
	for b.Loop() {
		for _, err := range client.Stream(b.Context(), ask("hi")) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}

// TestShortKeysStayInMessages checks that a very short placeholder key is not replaced in messages,
// because it can be a part of other words.
func TestShortKeysStayInMessages(t *testing.T) {
	t.Parallel()
	srv := llmtest.New(t, llmtest.Fail(400, `{"error":{"message":"the thinking mode of deepseek refuses"}}`))
	client, _ := newClient(t, srv, func(c *openai.Config) { c.Key = "k" })
	_, err := collect(t.Context(), client, ask("hi"))
	if said := failure(t, err).Error(); !strings.Contains(said, "the thinking mode of deepseek refuses") {
		t.Error(said)
	}
}

// TestIntroduction checks that requests name the program to the server.
func TestIntroduction(t *testing.T) {
	t.Parallel()
	srv := llmtest.New(t, llmtest.Say("hi"), llmtest.Say("hi"))
	client, _ := newClient(t, srv, func(c *openai.Config) { c.UserAgent = "agent/1.2" })
	if _, err := collect(t.Context(), client, ask("hi")); err != nil {
		t.Fatal(err)
	}
	if _, err := collect(t.Context(), vendorClient(t, srv, "openrouter.ai"), ask("hi")); err != nil {
		t.Fatal(err)
	}
	own, routed := srv.Requests()[0].Header, srv.Requests()[1].Header
	if own.Get("User-Agent") != "agent/1.2" || own.Get("X-Title") != "" || routed.Get("X-Title") != "agent" {
		t.Errorf("%v, %v", own, routed)
	}
}
