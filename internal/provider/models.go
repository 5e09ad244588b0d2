package provider

import "agent/internal/provider/catalogue"

// families maps names of models to their context windows in tokens. It contains models with many names
// and models that users run themselves, with the context windows that their makers state (checked in
// November 2026). A name in the form of vendor.BaseName also matches longer names that continue with -,
// : or @. The longest match counts.
var families = map[string]int{
	"gpt-5-chat":        128_000,
	"gpt-5-1-chat":      128_000,
	"gpt-5-2-chat":      128_000,
	"gpt-5-3-chat":      128_000,
	"gpt-6":             1_050_000,
	"gpt-5-6":           1_050_000,
	"gpt-4-turbo":       128_000,
	"gpt-4":             8_192,
	"gpt-3-5-turbo":     16_385,
	"gpt-oss":           131_072,
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
	"kimi-k2":           131_072,
	"glm-4-5":           131_072,
	"glm-4-6":           200_000,
	"minimax-m2":        196_608,
	"command-r":         128_000,
	"command-a":         256_000,
	"phi-4":             16_384,
}

// ContextLimit returns the context window of a well-known model in tokens: the maker's number, or
// otherwise the smallest number of other providers. It returns false for an unknown model.
func ContextLimit(model string) (int, bool) {
	known, knownAs, byMaker := catalogue.Window(model)
	var name string
	limit, _ := catalogue.LookupLongestName(model, func(part string) (int, bool) {
		name = part
		window, found := families[part]
		return window, found
	})
	switch {
	case known == 0 || limit > 0 && len(name) >= len(knownAs): // families is newer than the model catalog
		return limit, limit > 0
	case limit == 0 || byMaker:
		return known, true
	default:
		return min(known, limit), true
	}
}
