package provider_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"agent/internal/provider"
)

// In an interactive session, a model that Ollama has not loaded is loaded before the first request.
// Its real context window is then known.
func TestPreload(t *testing.T) {
	t.Parallel()
	var loaded atomic.Bool
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch r.URL.Path {
		case "/v1/models":
			_, _ = fmt.Fprint(w, modelList(`{"id":"qwen3:8b","owned_by":"library"}`))
		case "/api/ps":
			if loaded.Load() {
				_, _ = fmt.Fprint(w, `{"models":[{"name":"qwen3:8b","context_length":32768}]}`)
				return
			}
			_, _ = fmt.Fprint(w, `{"models":[]}`)
		case "/api/generate":
			loaded.Store(true)
			_, _ = fmt.Fprint(w, `{"done":true}`)
		default:
			_, _ = fmt.Fprint(w, `{}`)
		}
	}))
	t.Cleanup(server.Close)
	b := newBench(t, func(c *provider.Config) { c.Preload = true })
	b.set("base-url", server.URL+"/v1")
	b.set("model", "qwen3:8b")
	learned, notes := make(chan int, 2), make(chan string, 2)
	b.OnModelsListed(func() {
		limit, _ := b.ContextLimit("qwen3:8b")
		learned <- limit
	}, func(text string) { notes <- text })
	if _, err := b.Provider(); err != nil {
		t.Fatal(err)
	}
	for limit := range learned {
		if limit == 32_768 {
			break
		}
	}
	if note := <-notes; !strings.Contains(note, "assumes a context window of 4096 tokens") {
		t.Errorf("told %q", note)
	}
}
