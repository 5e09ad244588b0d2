package demo

import (
	"net/http"
	"testing"

	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/llm/openai"
	"agent/internal/testing/llmtest"
)

// TestProviderContract checks that the demo model with the client fulfills the contract of a
// provider for any message.
func TestProviderContract(t *testing.T) {
	t.Parallel()
	p := newPlayer(t)
	client := openai.NewClient(openai.Config{BaseURL: p.server.BaseURL, Transport: &http.Transport{}})
	t.Cleanup(client.Close)
	for asked, calls := range map[string]int{"help": 0, "read till.sh": 1, "run true": 1, "héllo \U0001F600": 0} {
		req := llm.Request{Model: Model, History: []*history.Content{history.HumanText(asked)}}
		if got := llmtest.Collect(t.Context(), t, client, req); got.Err != nil || got.Text == "" || len(got.Calls) != calls || got.Usage.PromptTokens == 0 {
			t.Errorf("%s: %+v", asked, got)
		}
	}
	req := llm.Request{Model: "another", History: []*history.Content{history.HumanText("help")}}
	if got := llmtest.Collect(t.Context(), t, client, req); got.Err == nil {
		t.Errorf("another model: %+v", got)
	}
}
