package llm

import (
	"encoding/json"
	"strings"
)

// streamEvent is one event of a streamed reply: the fields that are read, in the
// variants that servers send.
type streamEvent struct {
	Choices []choice `json:"choices"`
	// Usage is read apart: a report in an unknown shape must not cost the reply.
	Usage json.RawMessage `json:"usage"`
	// Timings is llama.cpp's own report.
	Timings struct {
		CacheN int `json:"cache_n"`
	} `json:"timings"`
}

type choice struct {
	Index        int    `json:"index"`
	Delta        *delta `json:"delta"`
	FinishReason string `json:"finish_reason"`
	// Message is there instead of Delta when a server does not stream.
	Message *delta `json:"message"`
}

func (c choice) part() delta {
	switch {
	case c.Delta != nil:
		return *c.Delta
	case c.Message != nil:
		return *c.Message
	default:
		return delta{}
	}
}

type delta struct {
	// Content is a string, or a list of parts at a few servers.
	Content   json.RawMessage `json:"content"`
	Refusal   string          `json:"refusal"`
	ToolCalls []callFragment  `json:"tool_calls"`
	// The two names for the model's thinking; some servers send both.
	ReasoningContent string `json:"reasoning_content"`
	Reasoning        string `json:"reasoning"`
}

func (d delta) reasoning() string {
	if d.ReasoningContent != "" {
		return d.ReasoningContent
	}
	return d.Reasoning
}

func (d delta) text() string { return rawText(d.Content) + d.Refusal }

// callFragment is a piece of a tool call, or all of it.
type callFragment struct {
	Index    *int   `json:"index"`
	ID       string `json:"id"`
	Function struct {
		Name string `json:"name"`
		// Arguments is a string; a few servers send the object itself.
		Arguments json.RawMessage `json:"arguments"`
	} `json:"function"`
}

func (f callFragment) arguments() string {
	raw := f.Function.Arguments
	switch {
	case len(raw) == 0 || string(raw) == "null":
		return ""
	case raw[0] == '"':
		return rawText(raw)
	default:
		return string(raw)
	}
}

// rawText reads a string or the text parts of a list.
func rawText(raw json.RawMessage) string {
	if len(raw) == 0 || string(raw) == "null" {
		return ""
	}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var parts []struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(raw, &parts) != nil {
		return ""
	}
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p.Text)
	}
	return b.String()
}

// wireUsage is the usage report with the names providers have for cached tokens.
type wireUsage struct {
	PromptTokens     int `json:"prompt_tokens"`
	CompletionTokens int `json:"completion_tokens"`
	Details          struct {
		CachedTokens int `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
	CachedTokens         int `json:"cached_tokens"`
	PromptCacheHitTokens int `json:"prompt_cache_hit_tokens"`
}

func (e *streamEvent) usage() *Usage {
	var u wireUsage
	if len(e.Usage) == 0 || json.Unmarshal(e.Usage, &u) != nil || u.PromptTokens == 0 && u.CompletionTokens == 0 {
		return nil
	}
	cached := max(u.Details.CachedTokens, u.CachedTokens, u.PromptCacheHitTokens, e.Timings.CacheN)
	return &Usage{
		PromptTokens: u.PromptTokens, CompletionTokens: u.CompletionTokens,
		CachedTokens: min(cached, u.PromptTokens),
	}
}
