package vendor_test

import (
	"testing"

	"agent/internal/llm/vendor"
)

// At returns the needs of an API. The host takes precedence over the model.
func TestAt(t *testing.T) {
	t.Parallel()
	const old, limit = vendor.LimitOld, vendor.LimitNew
	for _, tt := range []struct {
		host, model string
		want        vendor.Wants
	}{
		{"gw.example", "m", vendor.Wants{OutputLimit: old}},
		{"x.openai.azure.com", "gpt-35-turbo", vendor.Wants{OutputLimit: old}},
		{"api.openai.com", "gpt-5.6", vendor.Wants{Search: vendor.SearchResponses, FreeForm: true, Responses: true, CacheKey: true, Documents: true, Breakpoint: true, OutputLimit: limit}},
		{"api.openai.com:443", "gpt-5", vendor.Wants{Search: vendor.SearchResponses, FreeForm: true, CacheKey: true, Documents: true, OutputLimit: limit}},
		{"eu.api.openai.com", "o4-mini", vendor.Wants{Search: vendor.SearchResponses, Responses: true, CacheKey: true, Documents: true, OutputLimit: limit}},
		{"notapi.openai.com.evil.example", "gpt-5.6", vendor.Wants{FreeForm: true, OutputLimit: limit}},
		{"openrouter.ai", "anthropic/claude-opus-5", vendor.Wants{Search: vendor.SearchOpenRouter, Title: true, Thoughts: true, CacheKey: true, Documents: true, SessionID: true, CacheMarks: true, OutputLimit: old}},
		{"openrouter.ai", "deepseek/deepseek-v4", vendor.Wants{Search: vendor.SearchOpenRouter, Title: true, Thoughts: true, CacheKey: true, Documents: true, SessionID: true, OutputLimit: old}},
		{"gw.example", "claude-opus-5", vendor.Wants{CacheMarks: true, OutputLimit: old}},
		{"api.anthropic.com", "claude-opus-5", vendor.Wants{Messages: true, Search: vendor.SearchMessages, Documents: true, OutputLimit: old}},
		{"localhost:8080", "claude-like", vendor.Wants{OutputLimit: old}},
		{"generativelanguage.googleapis.com", "gemini-3-pro", vendor.Wants{Signatures: true, OutputLimit: old}},
		{"generativelanguage.googleapis.com", "gemini-2.5-pro", vendor.Wants{OutputLimit: old}},
		{"gw.example", "deepseek-v4", vendor.Wants{Reasoning: vendor.ReasoningContent, OutputLimit: old}},
		{"10.0.0.7:8000", "deepseek-v4", vendor.Wants{OutputLimit: old}},
		{"api.mistral.ai", "kimi-k2", vendor.Wants{CallIDs: vendor.NineIDs, AnswersTools: true, ReportsUsage: true, Reasoning: vendor.ReasoningContent, OutputLimit: old}},
		{"api.moonshot.cn", "m", vendor.Wants{CallIDs: vendor.AnyIDs, Reasoning: vendor.ReasoningContent, OutputLimit: old}},
		{"localhost", "devstral-small", vendor.Wants{CallIDs: vendor.NineIDs, OutputLimit: old}},
	} {
		if got := vendor.At(tt.host, tt.model); got != tt.want {
			t.Errorf("%s at %s wants %+v", tt.model, tt.host, got)
		}
	}
}

// The family follows from the name of the model, whatever prefix a router adds.
func TestFamilyOf(t *testing.T) {
	t.Parallel()
	for model, want := range map[string]string{
		"gpt-5.6": "gpt", "openai/gpt-5-mini": "gpt", "gpt-10": "gpt", "codex-mini-latest": "gpt", "o3": "gpt", "o4-mini": "gpt",
		"gpt-4o": "other", "gpt-4.1": "other", "o1": "other", "gpt-5-image": "other", "o30b": "other",
		"openai/gpt-oss-120b": "gpt-oss", "gpt-oss:20b": "gpt-oss",
		"anthropic/claude-opus-4.6": "claude", "gemini-3-pro": "gemini", "gemma3:4b": "gemini", "Qwen/Qwen3-Coder": "qwen", "kimi-k2": "kimi",
		"z-ai/glm-4.6": "glm", "deepseek-v4": "deepseek", "MiniMax-M2": "minimax", "grok-4": "grok", "devstral": "mistral", "codestral-2": "mistral",
		"llama-4": "other", "": "other",
	} {
		if got := vendor.FamilyOf(model).Name; got != want {
			t.Errorf("%q is of %s, want %s", model, got, want)
		}
	}
}

// Every vendor has a name and an address.
func TestVendors(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, v := range vendor.All() {
		if v.Name == "" || v.Title == "" || v.BaseURL == "" && v.Cloud == nil || seen[v.Name] {
			t.Errorf("%+v", v)
		}
		seen[v.Name] = true
		if got, ok := vendor.Named(v.Name); !ok || got.BaseURL != v.BaseURL {
			t.Errorf("%s is not found", v.Name)
		}
	}
}

// Guess ignores the prefix that a gateway adds to a name. A vendor that only serves its own models
// determines the family of any other name.
func TestGuess(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ host, model, family, why string }{
		{"gw.example", "claude-opus-5", "claude", "from its name"},
		{"bedrock.example", "us.anthropic.claude-sonnet-4-6-v1:0", "claude", `from "claude-sonnet-4-6-v1:0" in its name`},
		{"azure.example", "my-gpt-5-mini", "gpt", `from "gpt-5-mini" in its name`},
		{"api.moonshot.cn", "latest", "kimi", "from its vendor, Moonshot"},
		{"api.openai.com", "gpt-4o", "other", "unknown model name"},
	} {
		if family, why := vendor.Guess(tt.host, tt.model); family.Name != tt.family || why != tt.why {
			t.Errorf("%s at %s is of %s, %s", tt.model, tt.host, family.Name, why)
		}
	}
	for _, name := range vendor.FamilyNames() {
		if got := vendor.FamilyNamed(name); got.Name != name || got.Patches != (name == "gpt" || name == "gpt-oss") {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
