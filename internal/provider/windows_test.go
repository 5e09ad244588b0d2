package provider

import (
	"reflect"
	"testing"

	"agent/internal/llm/openai"
	"agent/internal/settings"
	"agent/internal/testing/llmtest"
)

// Prices that an endpoint lists are those of a million tokens, if they can be right.
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
