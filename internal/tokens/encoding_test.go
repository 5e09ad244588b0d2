package tokens

import "testing"

func TestEncodingFor(t *testing.T) {
	t.Parallel()
	tests := map[string]Encoding{
		"gpt-4o":                        O200K,
		"gpt-4o-2024-08-06":             O200K,
		"openai/gpt-4o-2024-08-06":      O200K,
		"chatgpt-4o-latest":             O200K,
		"gpt-4.1-mini":                  O200K,
		"gpt-4.5-preview":               O200K,
		"gpt-5":                         O200K,
		"GPT-5-Codex":                   O200K,
		"o1":                            O200K,
		"o3-mini":                       O200K,
		"o4-mini":                       O200K,
		"ft:gpt-4o-mini:org::id":        O200K,
		"anthropic/claude-sonnet-4":     O200K,
		"qwen2.5-coder:7b":              O200K,
		"":                              O200K,
		"gpt-4":                         CL100K,
		"gpt-4-0613":                    CL100K,
		"gpt-4-turbo":                   CL100K,
		"gpt-4-32k":                     CL100K,
		"GPT-4":                         CL100K,
		"openai/gpt-4:free":             CL100K,
		"openrouter/openai/gpt-4-turbo": CL100K,
		"gpt-3.5-turbo":                 CL100K,
		"gpt-3.5-turbo-16k":             CL100K,
		"ft:gpt-3.5-turbo-0125:org::id": CL100K,
		"gpt-35-turbo":                  CL100K,
		"text-embedding-3-small":        CL100K,
		"text-embedding-ada-002":        CL100K,
	}
	for model, want := range tests {
		if got := EncodingFor(model); got != want {
			t.Errorf("EncodingFor(%q) = %s, want %s", model, got, want)
		}
	}
}
