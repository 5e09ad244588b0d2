package refusal

import (
	"strconv"
	"strings"

	"agent/internal/base/lazyregexp"
)

// overflowWords matches the texts of servers, in lower case, for a request that is larger than the
// model's context window. There is no common code for this error, and the status is 400, 413, 500 or
// missing.
var overflowWords = lazyregexp.New(strings.Join([]string{
	`context_length_exceeded`, // OpenAI and many others
	`maximum context length`,  // OpenAI, vLLM, OpenRouter, DeepSeek, Mistral
	`exceeds the context window`,
	`longer than the maximum model length`,                // vLLM
	`context length is only \d`,                           // vLLM, newer
	`longer than the model's context length`,              // SGLang
	`exceed_context_size_error`,                           // llama.cpp
	`exceeds? the available context size`,                 // llama.cpp
	`context size has been exceeded`,                      // llama.cpp within a stream
	`input length exceeds the .{0,20}context length`,      // Ollama
	`exceeds? (the )?(model's )?maximum context`,          // Ollama, TGI
	`exceeded max context length`,                         // Ollama's cloud
	`prompt too long`,                                     // Ollama's cloud, oMLX
	`reached context length of`,                           // LM Studio
	`context the overflows|context overflows?`,            // LM Studio
	`context length of only`,                              // LM Studio
	`greater than the context length`,                     // LM Studio
	`prompt is too long`,                                  // Anthropic
	`exceed context limit`,                                // Anthropic
	`input is too long`,                                   // Bedrock
	`input token count .{0,40}exceeds the maximum`,        // Gemini
	`maximum prompt length is`,                            // xAI
	`prompt token count of .{0,20}exceeds the limit`,      // Copilot
	`reduce the length of the (messages|prompt)`,          // Groq
	"`inputs` tokens \\+ `max_new_tokens` must be",        // TGI
	`request too large`,                                   // servers whose per-minute limit is smaller than the request
	`too large for model with \d+ maximum context`,        // Mistral
	`model_context_window_exceeded|context_window_exceed`, // routers
	`prompt exceeds max length`,                           // GLM
	`exceeded model token limit`,                          // Kimi
	`range of input length should be`,                     // Qwen
	`tokens_limit_reached|body too large for \S+ model`,   // GitHub
	`context window exceeds limit`,                        // MiniMax
	"exceeds? (the |max )?(model'?s? )?context (window|limit)",
}, "|"))

// overflowLimits matches the context window in a message about an overflow.
var overflowLimits = lazyregexp.New(strings.ReplaceAll(strings.Join([]string{
	`maximum context (?:length|limit)(?: is| of|:) N`,
	`available context size \(N`,
	`maximum model length of N`,
	`context length (?:of|is) only N`,
	`context length \(N`,
	`reached context length of N`,
	`> N(?: maximum|, decrease|$|\.)`,
	`maximum prompt length is N`,
	`tokens allowed \(N\)`,
	`model with N maximum context`,
	`exceeds the limit of N`,
	`must be <= N`,
	`while limit is N`,
	`token limit: N`,
	`input length should be \[\d+, N\]`,
	`max size: N tokens`,
	`configured limit of N`,
	`context (?:window|limit)(?: of)? N`,
}, "|"), "N", tokenCount))

// promptSizes matches the size of the refused prompt in a message about an overflow.
var promptSizes = lazyregexp.New(strings.ReplaceAll(strings.Join([]string{
	`prompt is too long: N tokens`,  // Anthropic
	`exceed context limit: N \+`,    // Anthropic
	`messages resulted in N tokens`, // OpenAI, Azure
	`input token count \(?N`,        // Gemini
	`request \(N tokens\)`,          // llama.cpp
	`current length is N`,           // Cerebras
}, "|"), "N", tokenCount))

const tokenCount = `(\d[\d,]*k?)`

// WindowTokens returns the context window in tokens that the message or the server reports, or 0.
func (p Problem) WindowTokens() int { return max(p.limit, p.tokens(overflowLimits)) }

// PromptTokens returns the size in tokens of the refused prompt according to the message, or 0.
func (p Problem) PromptTokens() int { return p.tokens(promptSizes) }

// tokens returns the number of tokens that a pattern finds in the message, or 0.
func (p Problem) tokens(in *lazyregexp.Pattern) int {
	groups := in.FindStringSubmatch(strings.ToLower(p.Message))
	for _, found := range groups[min(1, len(groups)):] {
		n, err := strconv.Atoi(strings.NewReplacer(",", "", "k", "000").Replace(found))
		if err == nil && n >= leastWindow {
			return n
		}
	}
	return 0
}

// leastWindow is the smallest number that counts as a context window, in tokens. Smaller numbers are
// counts of something else.
const leastWindow = 512
