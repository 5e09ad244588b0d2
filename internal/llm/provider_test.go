package llm_test

import (
	"context"
	"iter"
	"net/http"
	"testing"
	"time"

	"agent/internal/llm"
	"agent/internal/llm/llmtest"
)

// TestProviders runs the conformance suite over every provider: each format bare,
// with every wrapper by itself, and the client with all of them.
func TestProviders(t *testing.T) {
	t.Parallel()
	bare := func(t *testing.T, url string) llm.Provider {
		return llm.Bare(newTestClient(t, llm.ClientConfig{BaseURL: url}))
	}
	atOnce := llm.RetryPolicy{Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }}
	for name, open := range map[string]func(t *testing.T, url string) llm.Provider{
		"chat completions": bare,
		"Responses": func(t *testing.T, url string) llm.Provider {
			return llm.BareResponses(newTestClient(t, llm.ClientConfig{BaseURL: url}))
		},
		"Retry":  func(t *testing.T, url string) llm.Provider { return llm.Retry(bare(t, url), atOnce) },
		"Watch":  func(t *testing.T, url string) llm.Provider { return llm.Watch(bare(t, url), url) },
		"Adapt":  func(t *testing.T, url string) llm.Provider { return llm.Adapt(bare(t, url), nil) },
		"Redact": func(t *testing.T, url string) llm.Provider { return llm.Redact(bare(t, url), "a-key-of-mine") },
		"Client": func(t *testing.T, url string) llm.Provider {
			return newTestClient(t, llm.ClientConfig{BaseURL: url, Retry: atOnce})
		},
		"Client with Responses": func(t *testing.T, url string) llm.Provider {
			return onResponses{newTestClient(t, llm.ClientConfig{BaseURL: url, Retry: atOnce})}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			llmtest.Provider(t, func(url string) llm.Provider { return open(t, url) })
		})
	}
}

func newTestClient(t *testing.T, config llm.ClientConfig) *llm.Client {
	config.Transport = &http.Transport{DisableCompression: true}
	client := llm.NewClient(config)
	t.Cleanup(client.Close)
	return client
}

// onResponses sets api to responses, as a user may.
type onResponses struct{ llm.Provider }

func (p onResponses) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	req.API = llm.APIResponses
	return p.Provider.Stream(ctx, req)
}
