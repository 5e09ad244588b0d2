package openai_test

import (
	"fmt"
	"testing"

	"agent/internal/llm"
	"agent/internal/testing/llmtest"
)

// TestContextOverflow checks that the errors of all known servers for a request above the context
// window are recognized, as an answer and within a stream. The size of the window is read from
// them.
func TestContextOverflow(t *testing.T) {
	t.Parallel()
	tests := []struct {
		server, body string
		limit        int
	}{
		{"OpenAI", `{"error":{"message":"This model's maximum context length is 128000 tokens. However, your messages resulted in 150000 tokens.","type":"invalid_request_error","code":"context_length_exceeded"}}`, 128000},
		{"OpenAI, newer", `{"error":{"message":"Your input exceeds the context window of this model.","code":"context_length_exceeded"}}`, 0},
		{"vLLM", `{"object":"error","message":"This model's maximum context length is 4096 tokens. However, you requested 5000 tokens.","type":"BadRequestError","code":400}`, 4096},
		{"vLLM, decoder", `{"error":{"message":"The decoder prompt (length 5000) is longer than the maximum model length of 4096.","code":400}}`, 4096},
		{"llama.cpp", `{"error":{"code":400,"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error","n_prompt_tokens":5000,"n_ctx":8192}}`, 8192},
		{"llama.cpp, numbers in the text", `{"error":{"code":400,"message":"request (5000 tokens) exceeds the available context size (4096 tokens), try increasing it"}}`, 4096},
		{"llama.cpp while writing", `{"error":{"code":500,"message":"Context size has been exceeded.","type":"server_error"}}`, 0},
		{"Ollama", `{"error":{"message":"the input length exceeds the context length","type":"api_error"}}`, 0},
		{"LM Studio", `{"error":"Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough."}`, 4096},
		{"LM Studio, older", `{"error":"The number of tokens to keep from the initial prompt is greater than the context length."}`, 0},
		{"LM Studio while writing", `{"error":{"message":"Reached context length of 4096 tokens with this model, which does not currently support mid-generation context overflow."}}`, 4096},
		{"OpenRouter", `{"error":{"message":"This endpoint's maximum context length is 131072 tokens. However, you requested about 200000 tokens.","code":400}}`, 131072},
		{"OpenRouter, quoting", `{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"{\"message\":\"prompt is too long: 210000 tokens > 200000 maximum\"}"}}}`, 200000},
		{"Anthropic", `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}`, 200000},
		{"Anthropic, with the output", "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length\"}}", 200000},
		{"Gemini", `[{"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}]`, 1048576},
		{"xAI", `{"error":"This model's maximum prompt length is 131072 but the request contains 140000 tokens."}`, 131072},
		{"Groq", `{"error":{"message":"Please reduce the length of the messages or completion.","code":"context_length_exceeded"}}`, 0},
		{"Mistral", `{"object":"error","message":"Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length","code":"3051"}`, 32768},
		{"Bedrock", `{"message":"Input is too long for requested model."}`, 0},
		{"vLLM, newest", `{"object":"error","message":"You passed 32769 input tokens and requested 1 output tokens. However, the model's context length is only 32768 tokens, resulting in a maximum input length of 32767 tokens.","code":400}`, 32768},
		{"SGLang", `{"object":"error","message":"The input (40000 tokens) is longer than the model's context length (32768 tokens).","code":400}`, 32768},
		{"Ollama's cloud", `{"error":{"message":"prompt too long; exceeded max context length by 123 tokens","type":"api_error"}}`, 0},
		{"Fireworks", `{"error":{"message":"The prompt is too long: 138841, model maximum context length: 131071","code":"invalid_request_error"}}`, 131071},
		{"Together", "{\"error\":{\"message\":\"Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193. Given: 9000 `inputs` tokens and 512 `max_new_tokens`\"}}", 8193},
		{"Cerebras", `{"message":"Please reduce the length of the messages or completion. Current length is 8243 while limit is 8192","code":"context_length_exceeded"}`, 8192},
		{"GLM", `{"error":{"code":"1261","message":"Prompt exceeds max length"}}`, 0},
		{"Kimi", `{"error":{"message":"Invalid request: Your request exceeded model token limit: 262144 (requested: 265123)","type":"invalid_request_error"}}`, 262144},
		{"Qwen", `{"error":{"code":"invalid_parameter_error","message":"<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 129024]"}}`, 129024},
		{"MiniMax", `{"error":{"message":"invalid params, context window exceeds limit (2013)","type":"bad_request_error"}}`, 0},
		{"GitHub", `{"error":{"code":"tokens_limit_reached","message":"Request body too large for gpt-4o model. Max size: 8000 tokens."}}`, 8000},
		{"Azure", `{"error":{"message":"Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 274343 tokens.","code":"context_length_exceeded"}}`, 272000},
		{"oMLX", `{"error":{"message":"Prompt too long: 40000 tokens exceeds max context window of 32768 tokens"}}`, 32768},
		{"a number with commas", `{"error":{"message":"This model's maximum context length is 128,000 tokens."}}`, 128000},
		{"a number in thousands", `{"error":{"message":"This model's maximum context length is 128k tokens."}}`, 128000},
		{"a number that is no window", `{"error":{"message":"The maximum context length is 1 conversation."}}`, 0},
		{"a limit by the minute", `{"error":{"message":"Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 40000."}}`, 0},
	}
	for _, tt := range tests {
		for form, turn := range map[string]llmtest.Turn{
			"status 400": llmtest.Fail(400, tt.body),
			"status 500": llmtest.Fail(500, tt.body),
			"in stream":  llmtest.Turn{}.Raw("event: error\ndata: " + tt.body + "\n\n"),
		} {
			if form == "in stream" && tt.body[0] == '[' {
				continue
			}
			t.Run(fmt.Sprint(tt.server, ", ", form), func(t *testing.T) {
				t.Parallel()
				srv := llmtest.New(t, turn)
				client, _ := newClient(t, srv)
				_, err := collect(t.Context(), client, ask("hi"))
				if got := failure(t, err); got.Kind != llm.ContextOverflow || got.ContextLimit != tt.limit {
					t.Errorf("got kind %d, limit %d, want limit %d: %v", got.Kind, got.ContextLimit, tt.limit, err)
				}
			})
		}
	}
}

// TestNoContextOverflow checks that other errors that mention tokens and limits are not mistaken
// for it.
func TestNoContextOverflow(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]llm.ErrorKind{
		`{"error":{"message":"Rate limit reached on tokens per min (TPM): Limit 30000, Used 20000, Requested 15000."}}`: llm.BadRequest,
		`{"error":{"message":"max_tokens must be at least 1"}}`:                                                         llm.BadRequest,
		`{"error":{"message":"messages[3].content is too short"}}`:                                                      llm.BadRequest,
	} {
		srv := llmtest.New(t, llmtest.Fail(400, body))
		client, _ := newClient(t, srv)
		_, err := collect(t.Context(), client, ask("hi"))
		if got := failure(t, err); got.Kind != want {
			t.Errorf("%s: kind %d, want %d", body, got.Kind, want)
		}
	}
}
