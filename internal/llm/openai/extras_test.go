package openai_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"agent/internal/llm/openai"
	"agent/internal/testing/llmtest"
)

// Extra headers, a query and extra body members reach the server. They do not replace the parts
// that the client needs.
func TestExtras(t *testing.T) {
	t.Parallel()
	type seen struct {
		path, query string
		header      http.Header
		body        map[string]any
	}
	requests := make(chan seen, 2)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s := seen{path: r.URL.Path, query: r.URL.RawQuery, header: r.Header}
		data, _ := io.ReadAll(r.Body)
		_ = json.Unmarshal(data, &s.body)
		requests <- s
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"object":"list","data":[{"id":"m"}],"choices":[{"message":{"content":"hi"},"finish_reason":"stop"}]}`)
	}))
	t.Cleanup(server.Close)
	client := openai.NewClient(openai.Config{
		BaseURL: server.URL + "/v1?api-version=2026", Key: "sk-0123456789", UserAgent: "agent/1.2",
		Headers:   map[string]string{"X-Title": "agent", "Content-Type": "text/evil"},
		ExtraBody: json.RawMessage(` {"temperature":0.5,"provider":{"order":["a"]}} `),
	})
	t.Cleanup(client.Close)
	if _, err := client.ListModels(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := collect(t.Context(), client, ask("hello")); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"/v1/models", "/v1/chat/completions"} {
		got := <-requests
		h := got.header
		if got.path != want || got.query != "api-version=2026" || h.Get("User-Agent") != "agent/1.2" || h.Get("X-Title") != "agent" ||
			h.Get("Content-Type") != "application/json" || h.Get("Authorization") != "Bearer sk-0123456789" {
			t.Errorf("%s: %+v", want, got)
		}
		if want != "/v1/models" && (got.body["temperature"] != 0.5 || got.body["provider"] == nil || got.body["messages"] == nil) {
			t.Errorf("body %v", got.body)
		}
	}
}

// An extra body member of the user replaces the client's own, because some servers refuse duplicate
// members.
func TestExtraBodyReplaces(t *testing.T) {
	t.Parallel()
	srv := llmtest.New(t, llmtest.Say("ok"), llmtest.Say("ok"))
	client := openai.NewClient(openai.Config{
		BaseURL: "http://api.example.com/v1", Transport: srv.Transport(),
		ExtraBody: json.RawMessage(`{"temperature":0.5,"stream_options":{"include_usage":false}}`),
	})
	t.Cleanup(client.Close)
	warm := 1.0
	for _, api := range []openai.API{openai.APIChat, openai.APIResponses} {
		req := ask(`say "temperature":`)
		req.Temperature = &warm
		if _, err := collect(t.Context(), openai.On(client, api), req); err != nil {
			t.Fatal(err)
		}
	}
	for _, r := range srv.Requests() {
		body := string(r.Body)
		if strings.Count(body, `"temperature":`) != 1 || strings.Count(body, `"stream_options":`) != 1 || r.Last().Content == "" {
			t.Errorf("sent %s", body)
		}
	}
}
