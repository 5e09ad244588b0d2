package provider_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"agent/internal/provider"
	"agent/internal/testing/llmtest"
)

func TestContextLimit(t *testing.T) {
	t.Parallel()
	for model, want := range map[string]int{
		"gpt-4o":                        128_000,
		"gpt-4o-mini-2024-07-18":        128_000,
		"gpt-4":                         8_192,
		"gpt-4-0613":                    8_192,
		"gpt-4.1-mini":                  1_047_576,
		"openai/gpt-4.1":                1_047_576,
		"gpt-5-mini":                    400_000,
		"gpt-5-chat-latest":             128_000,
		"gpt-5.6-sol":                   1_050_000,
		"claude-sonnet-4-5-20250929":    200_000,
		"claude-opus-4-20250514":        200_000,
		"anthropic/claude-opus-4.6":     1_000_000,
		"claude-opus-4-6":               1_000_000,
		"Qwen/Qwen3-Coder-30B-Instruct": 262_144,
		"qwen3-coder:30b":               262_144,
		"qwen3:8b":                      131_072,
		"llama3.1:8b":                   131_072,
		"meta-llama/Llama-3.3-70B":      128_000,
		"deepseek-chat":                 128_000,
		"deepseek-v4-pro":               1_000_000,
		"gpt-5.4":                       1_050_000,
		"kimi-k2.5":                     262_144,
	} {
		if got, ok := provider.ContextLimit(model); !ok || got != want {
			t.Errorf("%s: got %d, %v, want %d", model, got, ok, want)
		}
	}
	for _, model := range []string{"", "demo", "gpt", "gpt-40", "qwen", "/", "claudette"} {
		if got, ok := provider.ContextLimit(model); ok {
			t.Errorf("%q: got %d", model, got)
		}
	}
}

// TestWindows reads the context window from every member that can contain it.
func TestWindows(t *testing.T) {
	t.Parallel()
	list := func(entries string) string { return `{"object":"list","data":[` + entries + `]}` }
	tests := []struct {
		server  string
		answers map[string]string
		want    []provider.ModelOffer
	}{
		{"OpenAI", map[string]string{"/v1/models": list(`{"id":"gpt-4o","owned_by":"system"}`)}, []provider.ModelOffer{{ID: "gpt-4o"}}},
		{"vLLM", map[string]string{"/v1/models": list(`{"id":"q","owned_by":"vllm","max_model_len":32768}`)}, []provider.ModelOffer{{ID: "q", ContextLimit: 32768}}},
		{"OpenRouter", map[string]string{"/v1/models": list(`{"id":"a/b","context_length":1000},{"id":"c"}`)}, []provider.ModelOffer{{ID: "a/b", ContextLimit: 1000}, {ID: "c"}}},
		{
			"llama.cpp, as it runs",
			map[string]string{
				"/v1/models": list(`{"id":"m.gguf","owned_by":"llamacpp","meta":{"n_ctx_train":131072}}`),
				"/props":     `{"default_generation_settings":{"n_ctx":8192}}`,
			},
			[]provider.ModelOffer{{ID: "m.gguf", ContextLimit: 8192}},
		},
		{
			"llama.cpp without /props",
			map[string]string{"/v1/models": list(`{"id":"m.gguf","owned_by":"llamacpp","meta":{"n_ctx_train":131072}}`)},
			[]provider.ModelOffer{{ID: "m.gguf", ContextLimit: 131072}},
		},
		{
			"llama.cpp with no window in /props",
			map[string]string{
				"/v1/models": list(`{"id":"m.gguf","owned_by":"llamacpp","meta":{"n_ctx_train":131072}}`),
				"/props":     `{"default_generation_settings":{"n_ctx":0}}`,
			},
			[]provider.ModelOffer{{ID: "m.gguf", ContextLimit: 131072}},
		},
		{
			"LM Studio with no window",
			map[string]string{
				"/v1/models":     list(`{"id":"a","owned_by":"organization_owner","max_model_len":1000},{"id":"b","owned_by":"organization_owner"}`),
				"/api/v0/models": list(`{"id":"a","max_context_length":0},{"id":"b","max_context_length":8192,"loaded_context_length":-1}`),
			},
			[]provider.ModelOffer{{ID: "a", ContextLimit: 1000}, {ID: "b", ContextLimit: 8192}},
		},
		{
			"LM Studio",
			map[string]string{
				"/v1/models":     list(`{"id":"a","owned_by":"organization_owner"},{"id":"b","owned_by":"organization_owner"}`),
				"/api/v0/models": list(`{"id":"a","max_context_length":32768,"loaded_context_length":4096},{"id":"b","max_context_length":8192}`),
			},
			[]provider.ModelOffer{{ID: "a", ContextLimit: 4096}, {ID: "b", ContextLimit: 8192}},
		},
		{
			"Ollama, set",
			map[string]string{"/v1/models": list(`{"id":"q","owned_by":"library"}`), "/api/show": `{"parameters":"temperature 1\nnum_ctx      16384","model_info":{"qwen3.context_length":40960}}`},
			[]provider.ModelOffer{{ID: "q", ContextLimit: 16384}},
		},
		{
			"Ollama, not set",
			map[string]string{"/v1/models": list(`{"id":"q","owned_by":"library"},{"id":"r","owned_by":"library"}`), "/api/show": `{"model_info":{"general.architecture":"qwen3","qwen3.context_length":40960}}`},
			[]provider.ModelOffer{{ID: "q", ContextLimit: 4096, Assumed: true}, {ID: "r", ContextLimit: 4096, Assumed: true}},
		},
		{
			"Ollama without an answer",
			map[string]string{"/v1/models": list(`{"id":"q","owned_by":"library"}`), "/api/show": `<html>`},
			[]provider.ModelOffer{{ID: "q", ContextLimit: 4096, Assumed: true}},
		},
		{
			"Ollama, loaded",
			map[string]string{
				"/v1/models": list(`{"id":"q:latest","owned_by":"library"}`), "/api/show": `{"model_info":{"qwen3.context_length":40960}}`,
				"/api/ps": `{"models":[{"name":"q:latest","context_length":8192}]}`,
			},
			[]provider.ModelOffer{{ID: "q:latest", ContextLimit: 8192}},
		},
		{
			"Ollama, a small model",
			map[string]string{"/v1/models": list(`{"id":"q","owned_by":"library"}`), "/api/show": `{"model_info":{"x.context_length":2048}}`},
			[]provider.ModelOffer{{ID: "q", ContextLimit: 2048}},
		},
		{"none", map[string]string{"/v1/models": list(``)}, []provider.ModelOffer{}},
	}
	for _, tt := range tests {
		t.Run(tt.server, func(t *testing.T) {
			t.Parallel()
			srv := llmtest.New(t)
			for path, body := range tt.answers {
				srv.Answer(path, body)
			}
			b := newBench(t)
			b.set("base-url", srv.URL)
			got, err := b.Models(t.Context())
			if diff := cmp.Diff(tt.want, got); err != nil || diff != "" {
				t.Error(err, diff)
			}
		})
	}
}

// ports answers requests by host, like the local servers of a machine.
type ports map[string]func(*http.Request) (*http.Response, error)

func (p ports) RoundTrip(r *http.Request) (*http.Response, error) {
	if answer := p[r.URL.Host]; answer != nil {
		return answer(r)
	}
	return nil, errors.New("connection refused")
}

func answers(after time.Duration, body string) func(*http.Request) (*http.Response, error) {
	return func(r *http.Request) (*http.Response, error) {
		select {
		case <-time.After(after):
		case <-r.Context().Done():
			return nil, r.Context().Err()
		}
		return &http.Response{StatusCode: 200, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
	}
}

// TestDetect finds the first of the usual ports that lists models within 200 ms.
func TestDetect(t *testing.T) {
	t.Parallel()
	const (
		q        = `{"data":[{"id":"q","owned_by":"library"}]}`
		llamaCpp = `{"data":[{"id":"m.gguf","owned_by":"llamacpp"}]}`
		plain    = `{"data":[{"id":"x"},{"id":"y"}]}`
	)
	tests := []struct {
		name  string
		ports ports
		want  provider.LocalServer
		takes time.Duration
		// foreign is a port whose listener belongs to another user.
		foreign int
	}{
		{"none", ports{}, provider.LocalServer{}, 0, 0},
		{"Ollama", ports{"127.0.0.1:11434": answers(0, q)}, provider.LocalServer{Name: "Ollama", BaseURL: "http://127.0.0.1:11434/v1", Models: []string{"q"}}, 0, 0},
		{"by its port", ports{"127.0.0.1:1234": answers(0, plain)}, provider.LocalServer{Name: "LM Studio", BaseURL: "http://127.0.0.1:1234/v1", Models: []string{"x", "y"}}, 0, 0},
		{"by its own word", ports{"127.0.0.1:8000": answers(0, llamaCpp)}, provider.LocalServer{Name: "llama.cpp", BaseURL: "http://127.0.0.1:8000/v1", Models: []string{"m.gguf"}}, 0, 0},
		{
			"the order counts, not the speed",
			ports{"127.0.0.1:8000": answers(0, plain), "127.0.0.1:8080": answers(150*time.Millisecond, llamaCpp)},
			provider.LocalServer{Name: "llama.cpp", BaseURL: "http://127.0.0.1:8080/v1", Models: []string{"m.gguf"}},
			150 * time.Millisecond, 0,
		},
		{
			"too slow",
			ports{"127.0.0.1:11434": answers(time.Second, q), "127.0.0.1:8000": answers(0, plain)},
			provider.LocalServer{Name: "vLLM", BaseURL: "http://127.0.0.1:8000/v1", Models: []string{"x", "y"}},
			200 * time.Millisecond, 0,
		},
		{"some web server", ports{"127.0.0.1:8080": answers(0, "<html>hello"), "127.0.0.1:8000": answers(0, `{"data":"x"}`)}, provider.LocalServer{}, 0, 0},
		{"another user's", ports{"127.0.0.1:11434": answers(0, q), "127.0.0.1:8000": answers(0, plain)}, provider.LocalServer{Name: "vLLM", BaseURL: "http://127.0.0.1:8000/v1", Models: []string{"x", "y"}}, 0, 11434},
		{"names that nobody can use", ports{"127.0.0.1:11434": answers(0, `{"data":[{"id":"a\u001b[2J"},{"id":"b c"},{"id":"good"}]}`)}, provider.LocalServer{Name: "Ollama", BaseURL: "http://127.0.0.1:11434/v1", Models: []string{"good"}}, 0, 0},
		{"no models", ports{"127.0.0.1:11434": answers(0, `{"object":"list","data":null}`)}, provider.LocalServer{}, 0, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				var got provider.LocalServer
				all := provider.Detect(t.Context(), tt.ports, func(port int) bool { return port != tt.foreign })
				if took := time.Since(start); took != tt.takes {
					t.Errorf("took %s, want %s", took, tt.takes)
				}
				if len(all) > 0 {
					got = all[0]
				}
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Error(diff)
				}
			})
		})
	}
}

// newListServer starts a server that answers with the model list that list returns.
func newListServer(t *testing.T, list func() string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, list()) }))
	t.Cleanup(server.Close)
	return server.URL + "/v1"
}
