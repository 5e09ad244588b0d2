package llm_test

import (
	"fmt"
	"testing"

	"agent/internal/llm"
	"agent/internal/llm/llmtest"
)

// TestContextOverflow knows the words of every server for a request larger than
// the window, as an answer and within a stream, and reads the window from them.
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
		{"Anthropic, with the output", "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000\"}}", 0},
		{"Gemini", `[{"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}]`, 1048576},
		{"xAI", `{"error":"This model's maximum prompt length is 131072 but the request contains 140000 tokens."}`, 131072},
		{"Groq", `{"error":{"message":"Please reduce the length of the messages or completion.","code":"context_length_exceeded"}}`, 0},
		{"Mistral", `{"object":"error","message":"Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length","code":"3051"}`, 32768},
		{"Bedrock", `{"message":"Input is too long for requested model."}`, 0},
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

// TestNoContextOverflow: other complaints that speak of tokens and limits.
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
