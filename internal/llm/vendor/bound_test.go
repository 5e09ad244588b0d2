package vendor_test

import (
	"testing"

	"agent/internal/llm/vendor"
)

// Whether reasoning is bound depends on the model, and not on its host.
func TestBoundReasoningOf(t *testing.T) {
	t.Parallel()
	for model, want := range map[string]vendor.BoundReasoning{
		"claude-opus-5-5":                           vendor.BoundPrefix,
		"anthropic/claude-opus-5.5":                 vendor.BoundPrefix,
		"claude-opus-5-5-20261101":                  vendor.BoundPrefix,
		"claude-opus-5":                             vendor.BoundNone,
		"claude-opus-5-20260601":                    vendor.BoundNone,
		"claude-opus-4-8":                           vendor.BoundNone,
		"claude-sonnet-5-5":                         vendor.BoundPrefix,
		"claude-sonnet-5":                           vendor.BoundNone,
		"claude-haiku-5-5":                          vendor.BoundPrefix,
		"claude-haiku-4-5@20251001":                 vendor.BoundNone,
		"claude-fable-5":                            vendor.BoundNone,
		"claude-fable-5-1":                          vendor.BoundPrefix,
		"claude-mythos-5-2":                         vendor.BoundPrefix,
		"us.anthropic.claude-fable-5-2-v1:0":        vendor.BoundPrefix,
		"anthropic.claude-sonnet-4-5-20250929-v1:0": vendor.BoundNone,
		"claude-3-7-sonnet":                         vendor.BoundNone,
		"claude-3.5-haiku-20241022":                 vendor.BoundNone,
		"claude-opus-6":                             vendor.BoundPrefix, // an unknown model
		"claude-saga-1":                             vendor.BoundPrefix,
		"gpt-6.2-sol":                               vendor.BoundPrefix,
		"openai/gpt-6.2-astra":                      vendor.BoundPrefix,
		"gpt-7":                                     vendor.BoundPrefix,
		"gpt-6.1-sol":                               vendor.BoundNone,
		"gpt-6-luna":                                vendor.BoundNone,
		"gpt-5.6-sol":                               vendor.BoundNone,
		"gpt-5.5":                                   vendor.BoundTurn,
		"o4-mini":                                   vendor.BoundTurn,
		"gpt-4o":                                    vendor.BoundNone,
		"gpt-oss-120b":                              vendor.BoundNone,
		"deepseek-v4-pro":                           vendor.BoundNone,
		"":                                          vendor.BoundNone,
	} {
		if got := vendor.BoundReasoningOf(model); got != want {
			t.Errorf("%s: %s, want %s", model, got, want)
		}
	}
}
