package openai

import (
	"agent/internal/llm"
	"agent/internal/llm/loose"
)

// chatUsage is a report of tokens with the names that vendors have for them.
type chatUsage struct {
	PromptTokens     loose.Int `json:"prompt_tokens"`
	CompletionTokens loose.Int `json:"completion_tokens"`
	TotalTokens      loose.Int `json:"total_tokens"`
	// InputTokens and OutputTokens are Anthropic's, and those of the Responses API.
	InputTokens  loose.Int `json:"input_tokens"`
	OutputTokens loose.Int `json:"output_tokens"`

	// CachedTokens is Moonshot's, PromptCacheHitTokens DeepSeek's, the others
	// Anthropic's.
	CachedTokens             loose.Int `json:"cached_tokens"`
	PromptCacheHitTokens     loose.Int `json:"prompt_cache_hit_tokens"`
	CacheReadInputTokens     loose.Int `json:"cache_read_input_tokens"`
	CacheCreationInputTokens loose.Int `json:"cache_creation_input_tokens"`

	PromptTokensDetails cacheDetails `json:"prompt_tokens_details"`
	InputTokensDetails  cacheDetails `json:"input_tokens_details"`
}

// cacheDetails are the parts of the prompt that were read from the cache and written
// to it: OpenAI's names and OpenRouter's, and LiteLLM's.
type cacheDetails struct {
	CachedTokens        loose.Int `json:"cached_tokens"`
	CacheWriteTokens    loose.Int `json:"cache_write_tokens"`
	CacheCreationTokens loose.Int `json:"cache_creation_tokens"`
}

func (d cacheDetails) written() int {
	return max(d.CacheWriteTokens.Count(), d.CacheCreationTokens.Count())
}

// report brings a report into one form, nil if it says nothing; cached is what else
// is known of reads from the cache.
func (u chatUsage) report(cached int) *llm.Usage {
	r := llm.Usage{
		PromptTokens:     max(u.PromptTokens.Count(), u.InputTokens.Count()),
		CompletionTokens: max(u.CompletionTokens.Count(), u.OutputTokens.Count()),
	}
	if r == (llm.Usage{}) {
		return nil
	}
	r.CachedTokens = max(cached, u.CachedTokens.Count(), u.PromptCacheHitTokens.Count(), u.CacheReadInputTokens.Count(),
		u.PromptTokensDetails.CachedTokens.Count(), u.InputTokensDetails.CachedTokens.Count())
	r.CacheWriteTokens = max(u.CacheCreationInputTokens.Count(), u.PromptTokensDetails.written(), u.InputTokensDetails.written())
	// Anthropic counts what came from the cache and went to it beside the input.
	if beside := u.CacheReadInputTokens.Count() + u.CacheCreationInputTokens.Count(); beside > r.PromptTokens {
		r.PromptTokens += beside
	}
	// Some count what was thought in the total only; it is paid for as output.
	r.CompletionTokens = max(r.CompletionTokens, u.TotalTokens.Count()-r.PromptTokens)
	r.CachedTokens = min(r.CachedTokens, r.PromptTokens)
	r.CacheWriteTokens = min(r.CacheWriteTokens, r.PromptTokens-r.CachedTokens)
	return &r
}
