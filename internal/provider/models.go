package provider

import (
	"strings"

	"agent/internal/llm"
)

// contextLimits is a table of facts: the windows, in tokens, that providers state
// for their models (checked in November 2026). A name stands for every model whose
// name goes on after it with -, : or @; the longest name that fits counts. Names
// are in the form of llm.BaseName. Where sources differ the smaller number is here,
// because too small a window costs a compression and too large a one a refused
// request. What a server reports itself (ListModels) and the context-limit setting
// go first.
var contextLimits = map[string]int{
	"gpt-6":             1_050_000,
	"gpt-6-1":           1_050_000,
	"gpt-5-6":           1_050_000,
	"gpt-5":             400_000,
	"gpt-5-1":           400_000,
	"gpt-5-2":           400_000,
	"gpt-5-3":           400_000,
	"gpt-5-4":           400_000,
	"gpt-5-5":           400_000,
	"gpt-5-chat":        128_000,
	"gpt-5-1-chat":      128_000,
	"gpt-5-2-chat":      128_000,
	"gpt-5-3-chat":      128_000,
	"gpt-4-1":           1_047_576,
	"gpt-4o":            128_000,
	"gpt-4-5":           128_000,
	"gpt-4-turbo":       128_000,
	"gpt-4":             8_192,
	"gpt-3-5-turbo":     16_385,
	"gpt-oss":           131_072,
	"o1":                200_000,
	"o1-mini":           128_000,
	"o3":                200_000,
	"o4-mini":           200_000,
	"claude":            200_000,
	"claude-opus-4-6":   1_000_000,
	"claude-sonnet-4-6": 1_000_000,
	"claude-opus-5":     1_000_000,
	"claude-sonnet-5":   1_000_000,
	"claude-fable-5":    1_000_000,
	"gemini":            1_048_576,
	"gemma-3":           131_072,
	"gemma3":            131_072,
	"deepseek":          128_000,
	"mistral-large":     131_072,
	"mistral-medium":    131_072,
	"mistral-small":     131_072,
	"codestral":         256_000,
	"devstral":          131_072,
	"qwen3-coder":       262_144,
	"qwen3":             131_072,
	"qwen2-5-coder":     131_072,
	"llama-3-1":         131_072,
	"llama-3-2":         131_072,
	"llama-3-3":         131_072,
	"llama-4":           1_048_576,
	"llama3-1":          131_072,
	"llama3-2":          131_072,
	"llama3-3":          131_072,
	"grok-4":            256_000,
	"grok-3":            131_072,
	"grok-code-fast-1":  256_000,
	"kimi-k2":           131_072,
	"glm-4-5":           131_072,
	"glm-4-6":           200_000,
	"minimax-m2":        196_608,
	"command-r":         128_000,
	"command-a":         256_000,
	"phi-4":             16_384,
}

// ContextLimit returns the window of a well-known model in tokens. It reports
// false for a model it does not know.
func ContextLimit(model string) (int, bool) {
	name := llm.BaseName(model)
	for end := len(name); end > 0; end = strings.LastIndexAny(name[:end], "-:@") {
		if limit, ok := contextLimits[name[:end]]; ok {
			return limit, true
		}
	}
	return 0, false
}
