package provider_test

import (
	"testing"
	"time"

	"agent/internal/provider"
	"agent/internal/provider/catalogue"
	"agent/internal/testing/llmtest"
)

// The prices of an old catalog count as outdated if ModelsAge is set.
func TestPricesOfAnOldList(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		ages bool
		days int
		want bool
	}{{true, 59, false}, {true, 61, true}, {false, 61, false}} {
		b := newBench(t, func(c *provider.Config) {
			c.ModelsAge = tc.ages
			c.Now = func() time.Time { return catalogue.ListDate().Add(time.Duration(tc.days) * 24 * time.Hour) }
		})
		b.set("provider", "openai")
		prices := b.Prices("gpt-5.5")
		if prices == nil || prices.Outdated != tc.want {
			t.Errorf("%+v: %+v", tc, prices)
		}
	}
}

// The prices of a gateway take precedence over the catalog, for each wire format.
func TestPricesOfAGateway(t *testing.T) {
	t.Parallel()
	for api, entry := range map[string]string{
		"chat":     `"created":1677610602`,
		"messages": `"created":1677610602`,
		"auto":     `"pricing":{"prompt":"0.000009","completion":"0.00001","input_cache_read":"0.000001"}`, // OpenRouter
	} {
		t.Run(api, func(t *testing.T) {
			t.Parallel()
			server := llmtest.New(t)
			server.Answer("/v1/models", modelList(`{"id":"gpt-5.5",`+entry+`}`))
			server.Answer("/model/info", `{"data":[{"model_name":"gpt-5.5","model_info":{"input_cost_per_token":9e-06,"output_cost_per_token":1e-05,"cache_read_input_token_cost":1e-06}}]}`)
			b := newBench(t)
			b.set("base-url", server.URL)
			b.set("api", api)
			learned := make(chan struct{}, 1)
			b.OnModelsListed(func() { learned <- struct{}{} }, func(string) {})
			if _, err := b.Provider(); err != nil {
				t.Fatal(err)
			}
			<-learned
			if prices := b.Prices("gpt-5.5"); prices == nil || prices.Input != 9 || prices.CacheRead != 1 || prices.Outdated {
				t.Errorf("got %+v", prices)
			}
		})
	}
}
