package llm_test

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
	"agent/internal/llm/llmtest"
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

// newClient returns a client for srv that does not wait and has no chance in it.
func newClient(t *testing.T, srv *llmtest.Server, change ...func(*llm.ClientConfig)) (*llm.Client, *waits) {
	t.Helper()
	w := &waits{}
	config := llm.ClientConfig{
		BaseURL: srv.URL, Key: "sk-test-0123456789",
		Transport: &http.Transport{DisableCompression: true},
		Sleep:     w.sleep,
		Jitter:    func() float64 { return 0.5 },
		Now:       func() time.Time { return time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC) },
	}
	for _, f := range change {
		f(&config)
	}
	client := llm.NewClient(config)
	t.Cleanup(client.Close)
	return client, w
}

func ask(text string) llm.Request {
	return llm.Request{Model: "m", History: []*history.Content{history.HumanText(text)}}
}

// collect ranges over a reply to its end; consecutive deltas of a kind are joined.
func collect(ctx context.Context, p llm.Provider, req llm.Request) ([]llm.Chunk, error) {
	var chunks []llm.Chunk
	for chunk, err := range p.Stream(ctx, req) {
		if err != nil {
			return chunks, err
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
		llm.ToolCallStarted{ID: "call_1", Name: "read_file"},
		llm.ToolCallStarted{ID: "call_2", Name: "glob"},
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
