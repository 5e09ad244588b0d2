package provider

import (
	"fmt"
	"reflect"
	"testing"

	"agent/internal/llm/openai"
	"agent/internal/settings"
	"agent/internal/testing/llmtest"
)

// Prices in an endpoint's model list are converted to prices per million tokens, if they are
// possible.
func TestPricesOf(t *testing.T) {
	t.Parallel()
	for entry, want := range map[string]*settings.Prices{
		`{"prompt":"0.000002","completion":"0.00001","input_cache_read":"0.0000001","input_cache_write":"0.0000025"}`: {Input: 2, Output: 10, CacheRead: 0.1, CacheWrite: 2.5},
		`{"prompt":0.000002,"completion":"0.00001"}`:                                                                  {Input: 2, Output: 10, CacheRead: 2, CacheWrite: 2},
		`{"prompt":"0.000002","completion":"0.00001","input_cache_read":"0.000003"}`:                                  nil,
		`{"prompt":"-1","completion":"-1"}`:                                                                           nil,
		`{"prompt":"0","completion":"0"}`:                                                                             nil,
		`{"prompt":{},"completion":"NaN"}`:                                                                            nil,
		`{}`:                                                                                                          nil,
	} {
		srv := llmtest.New(t)
		srv.Answer("/v1/models", `{"data":[{"id":"m","pricing":`+entry+`}]}`)
		client := openai.NewClient(openai.Config{BaseURL: srv.URL})
		found, err := offers(t.Context(), client)
		client.Close()
		if err != nil || len(found) != 1 {
			t.Fatalf("%s: %v, %v", entry, found, err)
		}
		if got := found[0].Prices; !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v", entry, got)
		}
	}
}

// LiteLLM reports prices separately from its list of models. They take precedence over the catalog.
// Prices without a cache read price are not used for decisions.
func TestPricesOfLiteLLM(t *testing.T) {
	t.Parallel()
	info := `{"data":[
		{"model_name":"claude","model_info":{"max_input_tokens":200000,"input_cost_per_token":null}},
		{"model_name":"claude","model_info":{"max_input_tokens":100000,"input_cost_per_token":3e-06,"output_cost_per_token":1.5e-05,"cache_read_input_token_cost":3e-07,"cache_creation_input_token_cost":3.75e-06,"input_cost_per_token_above_200k_tokens":6e-06,"output_cost_per_token_above_200k_tokens":2.25e-05,"input_cost_per_token_above_32k_tokens":4e-06}},
		{"model_name":"plain","model_info":{"input_cost_per_token":"0.000002","output_cost_per_token":0.00001,"input_cost_per_token_above_xk_tokens":1}},
		{"model_name":"other","model_info":{"input_cost_per_token":0.000002,"output_cost_per_token":0.00001}}]}`
	entry := func(id string, created int) string { return fmt.Sprintf(`{"id":%q,"created":%d}`, id, created) }
	for name, tt := range map[string]struct {
		entries, info string
		want          []ModelOffer
	}{
		"LiteLLM": {entry("claude", createdLiteLLM) + "," + entry("plain", createdLiteLLM) + "," + entry("absent", createdLiteLLM), info, []ModelOffer{
			{ID: "claude", ContextLimit: 200_000, Prices: &settings.Prices{Input: 3, Output: 15, CacheRead: 0.3, CacheWrite: 3.75, Steps: []settings.PriceStep{
				{Above: 32_000, Input: 4, Output: 15, CacheRead: 0.4, CacheWrite: 4}, {Above: 200_000, Input: 6, Output: 22.5, CacheRead: 0.6, CacheWrite: 6},
			}}},
			{ID: "plain", Prices: &settings.Prices{Input: 2, Output: 10, CacheRead: 2, CacheWrite: 2, Outdated: true}},
			{ID: "absent"},
		}},
		"it does not answer": {entry("claude", createdLiteLLM), "", []ModelOffer{{ID: "claude"}}},
		"another server":     {entry("claude", createdLiteLLM) + "," + entry("plain", 1), info, []ModelOffer{{ID: "claude"}, {ID: "plain"}}},
	} {
		srv := llmtest.New(t)
		srv.Answer("/v1/models", `{"data":[`+tt.entries+`]}`)
		srv.Answer("/model/info", tt.info)
		client := openai.NewClient(openai.Config{BaseURL: srv.URL})
		found, err := offers(t.Context(), client)
		client.Close()
		if err != nil || !reflect.DeepEqual(found, tt.want) {
			t.Errorf("%s: %+v, %v", name, found, err)
		}
	}
}
