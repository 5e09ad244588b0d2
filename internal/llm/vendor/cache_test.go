package vendor_test

import (
	"testing"
	"time"

	"agent/internal/llm/vendor"
)

// CacheAt returns the lifetime of a host's cache and how it finds a prefix.
func TestCacheAt(t *testing.T) {
	t.Parallel()
	marked := vendor.Cache{Kind: vendor.CacheMarks, Reach: 20, Life: 5 * time.Minute}
	for _, tt := range []struct {
		host, model string
		want        vendor.Cache
	}{
		{"openrouter.ai", "anthropic/claude-opus-5", marked},
		{"gw.example", "claude-opus-5", marked},
		{"api.anthropic.com", "claude-opus-5", marked},
		{"api.openai.com", "gpt-5.6", vendor.Cache{Kind: vendor.CacheMarks, Ends: true, Reach: 80, Life: 30 * time.Minute}},
		{"api.openai.com", "gpt-5", vendor.Cache{StepTokens: 128}},
		{"api.deepseek.com", "deepseek-chat", vendor.Cache{StepTokens: 64}},
		{"localhost:8080", "claude-like", vendor.Cache{Bound: true}}, // the host may be a gateway
		{"openrouter.ai", "anthropic/claude-opus-5.5", vendor.Cache{Kind: vendor.CacheMarks, Reach: 20, Life: 5 * time.Minute, Bound: true}},
		{"api.openai.com", "gpt-6.2-sol", vendor.Cache{Kind: vendor.CacheMarks, Ends: true, Reach: 80, Life: 30 * time.Minute, Bound: true}},
		{"gw.example", "m", vendor.Cache{}},
	} {
		if got := vendor.CacheAt(tt.host, tt.model); got != tt.want {
			t.Errorf("%s at %s: %+v", tt.model, tt.host, got)
		}
	}
}
