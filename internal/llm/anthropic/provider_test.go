package anthropic_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"agent/internal/llm"
	"agent/internal/llm/anthropic"
	"agent/internal/llm/endpoint"
	"agent/internal/testing/llmtest"
)

// TestProvider runs the conformance suite over the bare format and over the client with all its
// wrappers.
func TestProvider(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(t *testing.T, url string) llm.Provider{
		"bare":   func(t *testing.T, url string) llm.Provider { return anthropic.Bare(newClient(t, url)) },
		"client": func(t *testing.T, url string) llm.Provider { return newClient(t, url) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			llmtest.TestProvider(t, func(url string) llm.Provider { return open(t, url) })
		})
	}
}

// newClient returns a client that does not wait between attempts.
func newClient(t testing.TB, url string, change ...func(*anthropic.Config)) *anthropic.Client {
	config := anthropic.Config{
		Endpoint: endpoint.Config{BaseURL: url, Key: "sk-ant-key-1", Transport: &http.Transport{DisableCompression: true}},
		Retry:    llm.RetryPolicy{Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }},
	}
	for _, c := range change {
		c(&config)
	}
	client := anthropic.NewClient(config)
	t.Cleanup(client.Close)
	return client
}
