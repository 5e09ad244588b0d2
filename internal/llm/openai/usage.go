package openai

import (
	"agent/internal/llm"
	"agent/internal/llm/lenientjson"
)

// chatUsage is a report of tokens with the member names of all vendors.
type chatUsage struct {
	PromptTokens     lenientjson.Int `json:"prompt_tokens"`
	CompletionTokens lenientjson.Int `json:"completion_tokens"`
	TotalTokens      lenientjson.Int `json:"total_tokens"`
	// InputTokens and OutputTokens are set by Anthropic and the Responses API.
	InputTokens  lenientjson.Int `json:"input_tokens"`
	OutputTokens lenientjson.Int `json:"output_tokens"`

	// CachedTokens is set by Moonshot, PromptCacheHitTokens by DeepSeek, and the others by
	// Anthropic.
	CachedTokens             lenientjson.Int `json:"cached_tokens"`
	PromptCacheHitTokens     lenientjson.Int `json:"prompt_cache_hit_tokens"`
	CacheReadInputTokens     lenientjson.Int `json:"cache_read_input_tokens"`
	CacheCreationInputTokens lenientjson.Int `json:"cache_creation_input_tokens"`

	// ServerTools is set by OpenRouter.
	ServerTools struct {
		Searches lenientjson.Int `json:"web_search_requests"`
	} `json:"server_tool_use"`

	PromptTokensDetails cacheDetails `json:"prompt_tokens_details"`
	InputTokensDetails  cacheDetails `json:"input_tokens_details"`

	CompletionTokensDetails outputDetails `json:"completion_tokens_details"`
	OutputTokensDetails     outputDetails `json:"output_tokens_details"`
}

// outputDetails counts the tokens used for reasoning, with the member names of OpenAI and of Anthropic.
type outputDetails struct {
	ReasoningTokens lenientjson.Int `json:"reasoning_tokens"`
	ThinkingTokens  lenientjson.Int `json:"thinking_tokens"`
}

func (d outputDetails) thought() int {
	return max(d.ReasoningTokens.NonNegative(), d.ThinkingTokens.NonNegative())
}

// cacheDetails counts the prompt tokens read from the cache and written to it, with the member names of
// OpenAI, OpenRouter and LiteLLM.
type cacheDetails struct {
	CachedTokens        lenientjson.Int `json:"cached_tokens"`
	CacheWriteTokens    lenientjson.Int `json:"cache_write_tokens"`
	CacheCreationTokens lenientjson.Int `json:"cache_creation_tokens"`
}

func (d cacheDetails) written() int {
	return max(d.CacheWriteTokens.NonNegative(), d.CacheCreationTokens.NonNegative())
}

// report returns the usage, or nil if the report is empty. cached is a separate count of tokens read
// from the cache.
func (u chatUsage) report(cached int) *llm.Usage {
	r := llm.Usage{
		PromptTokens:     max(u.PromptTokens.NonNegative(), u.InputTokens.NonNegative()),
		CompletionTokens: max(u.CompletionTokens.NonNegative(), u.OutputTokens.NonNegative()),
	}
	if r == (llm.Usage{}) {
		return nil
	}
	r.CachedTokens = max(cached, u.CachedTokens.NonNegative(), u.PromptCacheHitTokens.NonNegative(), u.CacheReadInputTokens.NonNegative(),
		u.PromptTokensDetails.CachedTokens.NonNegative(), u.InputTokensDetails.CachedTokens.NonNegative())
	r.CacheWriteTokens = max(u.CacheCreationInputTokens.NonNegative(), u.PromptTokensDetails.written(), u.InputTokensDetails.written())
	// Anthropic does not count cached tokens as input.
	if beside := u.CacheReadInputTokens.NonNegative() + u.CacheCreationInputTokens.NonNegative(); beside > r.PromptTokens {
		r.PromptTokens += beside
	}
	// Some servers count reasoning only in the total. It is charged as output.
	r.CompletionTokens = max(r.CompletionTokens, u.TotalTokens.NonNegative()-r.PromptTokens)
	r.ThinkingTokens = min(max(u.CompletionTokensDetails.thought(), u.OutputTokensDetails.thought()), r.CompletionTokens)
	r.CachedTokens = min(r.CachedTokens, r.PromptTokens)
	r.CacheWriteTokens = min(r.CacheWriteTokens, r.PromptTokens-r.CachedTokens)
	return &r
}
