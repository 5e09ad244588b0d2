package openai_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"agent/internal/llm"
	"agent/internal/llm/openai"
	"agent/internal/testing/llmtest"
)

// TestProviders runs the conformance suite for every provider: each format without wrappers, each
// wrapper alone, and the client with all wrappers.
func TestProviders(t *testing.T) {
	t.Parallel()
	bare := func(t *testing.T, url string) llm.Provider {
		return openai.Bare(newTestClient(t, openai.Config{BaseURL: url}))
	}
	atOnce := llm.RetryPolicy{Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }}
	for name, open := range map[string]func(t *testing.T, url string) llm.Provider{
		"chat completions": bare,
		"Responses": func(t *testing.T, url string) llm.Provider {
			return openai.BareResponses(newTestClient(t, openai.Config{BaseURL: url}))
		},
		"Retry": func(t *testing.T, url string) llm.Provider { return llm.Retry(bare(t, url), atOnce) },
		"Watch": func(t *testing.T, url string) llm.Provider { return llm.WatchStalls(bare(t, url), url) },
		"Adapt": func(t *testing.T, url string) llm.Provider {
			never := func(d int, _ llm.Request, _ string) (int, string) { return d, "" }
			return llm.Adapt(func(int) llm.Provider { return bare(t, url) }, never, nil)
		},
		"Redact": func(t *testing.T, url string) llm.Provider { return llm.Redact(bare(t, url), &llm.Keys{}) },
		"Client": func(t *testing.T, url string) llm.Provider {
			return newTestClient(t, openai.Config{BaseURL: url, Retry: atOnce})
		},
		"Client with Responses": func(t *testing.T, url string) llm.Provider {
			return newTestClient(t, openai.Config{BaseURL: url, Retry: atOnce, API: openai.APIResponses})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			llmtest.TestProvider(t, func(url string) llm.Provider { return open(t, url) })
		})
	}
}

func newTestClient(t *testing.T, config openai.Config) *openai.Client {
	config.Transport = &http.Transport{DisableCompression: true}
	client := openai.NewClient(config)
	t.Cleanup(client.Close)
	return client
}
