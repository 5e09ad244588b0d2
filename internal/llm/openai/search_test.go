package openai_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/llm/openai"
)

// vendorAt is a transport that answers for a host and stores the requests.
type vendorAt struct {
	answers []string
	sent    []string
}

func (v *vendorAt) RoundTrip(r *http.Request) (*http.Response, error) {
	body, _ := io.ReadAll(r.Body)
	v.sent = append(v.sent, r.URL.Path+" "+string(body))
	answer := v.answers[min(len(v.sent), len(v.answers))-1]
	status, kind := 200, "text/event-stream"
	if !strings.HasPrefix(answer, "data:") {
		status, kind = 400, "application/json"
	}
	return &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {kind}}, Body: io.NopCloser(strings.NewReader(answer)), Request: r}, nil
}

func events(lines ...string) string { return "data: " + strings.Join(lines, "\n\ndata: ") + "\n\n" }

// TestServerSearches checks the server's own web search. Each vendor receives its own parameter.
// The sources are reported, and the search is sent back at its position. If a server does not
// support it or refuses it, it is omitted.
func TestServerSearches(t *testing.T) {
	t.Parallel()
	const item = `{"type":"web_search_call","id":"ws_1","status":"completed","action":{"type":"search","query":"go 1.26","sources":[{"url":"https://go.dev/a"},{"url":"https://go.dev/a"},{"url":"https://go.dev/b"}]}}`
	responses := events(
		`{"type":"response.output_item.done","output_index":0,"item":`+item+`}`,
		`{"type":"response.output_item.done","output_index":1,"item":{"type":"web_search_call","id":"ws_2","action":{"type":"open_page","url":"https://go.dev/c"}}}`,
		`{"type":"response.output_text.delta","output_index":2,"delta":"It is out."}`,
		`{"type":"response.completed","response":{"status":"completed","output":[],"usage":{"input_tokens":900,"output_tokens":5}}}`)
	chat := events(
		`{"choices":[{"index":0,"delta":{"content":"It is out.","annotations":[{"type":"url_citation","url_citation":{"url":"https://go.dev/a"}}]}}]}`,
		`{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":900,"completion_tokens":5,"server_tool_use":{"web_search_requests":2}}}`, "[DONE]")
	plain := events(`{"choices":[{"index":0,"delta":{"content":"hi"},"finish_reason":"stop"}]}`, "[DONE]")
	for _, tt := range []struct {
		name, base, model string
		answers           []string
		told, sent, path  string
	}{
		{"OpenAI", "https://api.openai.com/v1", "gpt-4.1", []string{responses}, `[{go 1.26 [https://go.dev/a https://go.dev/b] 1} { [https://go.dev/c] 0}]`, `{"type":"web_search"}`, "/v1/responses"},
		{"xAI", "https://api.x.ai/v1", "grok-4", []string{responses}, `[{go 1.26 [https://go.dev/a https://go.dev/b] 1} { [https://go.dev/c] 0}]`, `{"type":"web_search"}`, "/v1/responses"},
		{"OpenRouter", "https://openrouter.ai/api/v1", "z-ai/glm-4.6", []string{chat}, `[{ [https://go.dev/a] 2}]`, `{"type":"openrouter:web_search"}`, "/api/v1/chat/completions"},
		{"unknown", "https://llm.example/v1", "m", []string{plain}, `[]`, "", "/v1/chat/completions"},
		{"refused", "https://openrouter.ai/api/v1", "m", []string{`{"error":{"message":"web_search cannot be combined with function tools"}}`, plain}, `[]`, "", "/api/v1/chat/completions"},
	} {
		vendor := &vendorAt{answers: tt.answers}
		client := openai.NewClient(openai.Config{BaseURL: tt.base, Key: "key-1", Transport: vendor})
		request := llm.Request{Model: tt.model, History: []*history.Content{history.HumanText("is it out?")}, Tools: []llm.ToolSpec{{Name: "read_file"}, {Name: "web_search", Searches: true}}}
		var told []llm.ServerSearch
		var thought *history.Attachment
		ask := func() {
			for chunk, err := range client.Stream(t.Context(), request) {
				if err != nil {
					t.Fatalf("%s: %v", tt.name, err)
				}
				switch chunk := chunk.(type) {
				case llm.ServerSearch:
					told = append(told, chunk)
				case llm.ReasoningAttachment:
					thought = chunk.Attached
				}
			}
		}
		ask()
		last := vendor.sent[len(vendor.sent)-1]
		if fmt.Sprint(told) != tt.told || !strings.Contains(last, tt.sent) || tt.sent == "" && strings.Contains(last, "web_search") || !strings.HasPrefix(last, tt.path+" ") {
			t.Errorf("%s: told %v, sent %.400s", tt.name, told, last)
		}
		if tt.path != "/v1/responses" {
			continue
		}
		if !strings.Contains(last, `"web_search_call.action.sources"`) || !strings.Contains(last, `"store":false`) {
			t.Errorf("%s: sent %.400s", tt.name, last)
		}
		request.History = append(request.History, history.New(history.AI, &history.Thinking{Attached: thought}, &history.Text{Text: "It is out."}), history.HumanText("sure?"))
		ask()
		again := vendor.sent[len(vendor.sent)-1]
		if at, text := strings.Index(again, `"id":"ws_1"`), strings.Index(again, "It is out."); at < 0 || text < at {
			t.Errorf("%s: sent again %.900s", tt.name, again)
		}
		if prefix := strings.TrimRight(last[strings.Index(last, `"input":`):], "}"); !strings.Contains(again, prefix[:20]) {
			t.Errorf("%s: the prefix broke", tt.name)
		}
	}
}
