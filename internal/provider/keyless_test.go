package provider

import (
	"errors"
	"testing"

	"agent/internal/llm"
	"agent/internal/llm/vendor"
)

// If a vendor's API key is missing, the program reports it at once with a fix, and sends no
// request. It sends requests to other addresses, and if headers contain the credentials.
func TestAVendorWithoutItsKey(t *testing.T) {
	t.Parallel()
	deepseek, _ := vendor.Named("deepseek")
	ollama, _ := vendor.Named("ollama")
	for _, tt := range []struct {
		name    string
		peer    *peer
		refused bool
	}{
		{"a vendor", &peer{endpoint: Endpoint{Provider: "deepseek", BaseURL: deepseek.BaseURL}}, true},
		{"with its key", &peer{endpoint: Endpoint{Provider: "deepseek", BaseURL: deepseek.BaseURL, Key: "sk-0123456789"}}, false},
		{"its quirks at another address", &peer{endpoint: Endpoint{Provider: "deepseek", BaseURL: "http://127.0.0.1:1/v1"}}, false},
		{"a header of one's own", &peer{endpoint: Endpoint{Provider: "deepseek", BaseURL: deepseek.BaseURL}, extras: extras{headers: map[string]string{"X-Api-Key": "abc"}}}, false},
		{"a server of one's own", &peer{endpoint: Endpoint{Provider: "ollama", BaseURL: ollama.BaseURL}}, false},
		{"an address", &peer{endpoint: Endpoint{BaseURL: "https://llm.example/v1"}}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := tt.peer.keyless()
			if (err != nil) != tt.refused {
				t.Fatalf("error %v", err)
			}
			var failure *llm.Error
			if tt.refused && (!errors.As(err, &failure) || failure.Kind != llm.Auth || err.Error() != "no API key for DeepSeek; set DEEPSEEK_API_KEY, or run: agent login deepseek") {
				t.Errorf("error %v", err)
			}
		})
	}
}
