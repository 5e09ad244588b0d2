package openai

import (
	"slices"
	"strings"

	"github.com/sashabaranov/go-openai"

	"agent/internal/llm/refusal"
)

// finishes maps the finish reasons of other vendors, in lower case, to the finish reasons of OpenAI.
var finishes = map[string]openai.FinishReason{
	"model_length":      openai.FinishReasonLength, // Mistral
	"max_tokens":        openai.FinishReasonLength,
	"max_output_tokens": openai.FinishReasonLength,

	"sensitive":          openai.FinishReasonContentFilter, // GLM
	"safety":             openai.FinishReasonContentFilter, // Gemini, through routers
	"recitation":         openai.FinishReasonContentFilter,
	"prohibited_content": openai.FinishReasonContentFilter,
	"blocklist":          openai.FinishReasonContentFilter,
	"refusal":            openai.FinishReasonContentFilter, // Claude
}

// brokenOff lists the finish reasons of incomplete replies: of OpenRouter and Mistral, of GLM, of
// DeepSeek, of vLLM, and of Gemini for a call that it could not parse.
var brokenOff = []string{"error", "network_error", "insufficient_system_resource", "abort", "malformed_function_call"}

// finishFor sets the finish reason of the reply. It returns an error if the reply is incomplete.
func (r *reply) finishFor(reason string) error {
	// Gemini appends the findings of the filter.
	filter, found, _ := strings.Cut(strings.ToLower(reason), ": ")
	if filter == "content_filter" || filter == "function_call_filter" && !slices.Contains(brokenOff, found) {
		r.finish = string(openai.FinishReasonContentFilter)
		return nil
	}
	switch known, is := finishes[filter]; {
	case slices.Contains(brokenOff, filter), slices.Contains(brokenOff, found):
		return r.truncated("the provider cut the reply short: "+refusal.Line(reason), nil)
	case strings.Contains(filter, "context_window_exceeded"):
		return r.client.at.ProblemError(refusal.Problem{Message: "the reply does not fit into the model's context window", Code: filter}, r.model)
	case is:
		r.finish = string(known)
	default:
		r.finish = reason
	}
	return nil
}
