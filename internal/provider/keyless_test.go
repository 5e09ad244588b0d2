package provider_test

import (
	"errors"
	"testing"

	"agent/internal/llm"
)

// A vendor is not asked without its key: that is said at once, and what to do. Other
// addresses, and those who say by headers who they are, are asked.
func TestAVendorWithoutItsKey(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		settings map[string]string
		want     string
	}{
		{"a vendor", map[string]string{"provider": "deepseek"}, "there is no key for DeepSeek"},
		{"its quirks at another address", map[string]string{"provider": "deepseek", "base-url": "http://127.0.0.1:1/v1"}, ""},
		{"a header of one's own", map[string]string{"provider": "deepseek", "header.X-Api-Key": "abc"}, ""},
		{"a server of one's own", map[string]string{"provider": "ollama"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			for key, value := range tt.settings {
				b.set(key, value)
			}
			b.set("model", "m")
			_, err := b.Provider()
			var failure *llm.Error
			switch {
			case tt.want == "" && err != nil:
				t.Errorf("error %v", err)
			case tt.want != "" && (!errors.As(err, &failure) || failure.Kind != llm.Auth || failure.Message != tt.want || failure.Hint != "set DEEPSEEK_API_KEY, or run agent login deepseek"):
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}
