package llm

import (
	"strconv"
	"strings"

	"agent/internal/pattern"
)

// overflowWords are how servers say that a request is larger than the model's
// window, in lower case. There is no common code for it, and the status is 400,
// 413, 500 or none.
var overflowWords = pattern.New(strings.Join([]string{
	`context_length_exceeded`, // OpenAI and many after it
	`maximum context length`,  // OpenAI, vLLM, OpenRouter, DeepSeek, Mistral
	`exceeds the context window`,
	`longer than the maximum model length`,                // vLLM
	`exceed_context_size_error`,                           // llama.cpp
	`exceeds? the available context size`,                 // llama.cpp
	`context size has been exceeded`,                      // llama.cpp within a stream
	`input length exceeds the .{0,20}context length`,      // Ollama
	`exceeds? (the )?(model's )?maximum context`,          // Ollama, TGI
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
	`request too large`,                                   // per-minute limits below one request
	`too large for model with \d+ maximum context`,        // Mistral
	`model_context_window_exceeded|context_window_exceed`, // routers
}, "|"))

// overflowLimits find the window in such a message.
var overflowLimits = pattern.New(strings.Join([]string{
	`maximum context length (?:is|of) (\d+)`,
	`available context size \((\d+)`,
	`maximum model length of (\d+)`,
	`context length of only (\d+)`,
	`reached context length of (\d+)`,
	`> (\d+) maximum`,
	`maximum prompt length is (\d+)`,
	`tokens allowed \((\d+)\)`,
	`model with (\d+) maximum context`,
	`exceeds the limit of (\d+)`,
}, "|"))

// isOverflow reports whether a complaint, in lower case, is about the window.
func isOverflow(said string) bool { return overflowWords.MatchString(said) }

// limitIn returns the window that a complaint names, 0 if it names none.
func limitIn(message string) int {
	for _, number := range overflowLimits.FindStringSubmatch(strings.ToLower(message)) {
		if n, err := strconv.Atoi(number); err == nil {
			return n
		}
	}
	return 0
}
