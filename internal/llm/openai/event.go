package openai

import (
	"encoding/json"

	"github.com/sashabaranov/go-openai"

	"agent/internal/llm"
	"agent/internal/llm/lenientjson"
)

// The types in this file extend the library's types for a streamed chat completion by the members of
// other vendors. They also accept other types of values that servers send.

// chatEvent is an event of a stream, or the whole completion from a server that does not stream.
type chatEvent struct {
	Choices lenientjson.List[chatChoice] `json:"choices"`
	Usage   chatUsage                    `json:"usage"`
	// Timings is a report of llama.cpp.
	Timings struct {
		CacheN lenientjson.Int `json:"cache_n"`
	} `json:"timings"`
}

// first returns the choice with index 0.
func (e chatEvent) first() chatChoice {
	for _, choice := range e.Choices {
		if choice.Index.Value == 0 {
			return choice
		}
	}
	return chatChoice{}
}

// usage returns the report of tokens, or nil if there is none.
func (e chatEvent) usage() *llm.Usage {
	if report := e.Usage.report(e.Timings.CacheN.NonNegative()); report != nil {
		return report
	}
	return e.first().Usage.report(0)
}

type chatChoice struct {
	Index        lenientjson.Int `json:"index"`
	Delta        *chatDelta      `json:"delta"`
	FinishReason finishReason    `json:"finish_reason"`
	// Usage is set by Moonshot.
	Usage chatUsage `json:"usage"`
	// Message is set instead of Delta by servers that do not stream.
	Message *chatDelta `json:"message"`
}

// parts returns the parts of a message in the event: a part, and a whole message without the kinds of
// content that soFar already contains.
func (c chatChoice) parts(soFar chatDelta) []chatDelta {
	var parts []chatDelta
	if c.Delta != nil {
		parts = append(parts, *c.Delta)
		soFar = soFar.with(*c.Delta)
	}
	if c.Message != nil {
		parts = append(parts, c.Message.without(soFar))
	}
	return parts
}

// finishReason is the reason why a reply ended, or "" while it continues. A reason that is not a string
// also means that the reply is complete.
type finishReason string

// UnmarshalJSON implements json.Unmarshaler.
func (r *finishReason) UnmarshalJSON(raw []byte) error {
	switch reason := openai.FinishReason(lenientjson.Decode[string](raw)); {
	case reason == openai.FinishReasonFunctionCall:
		*r = finishReason(openai.FinishReasonToolCalls)
	case raw[0] == '"' && reason != openai.FinishReasonNull: // DashScope sends null as a string
		*r = finishReason(reason)
	case raw[0] != '"' && string(raw) != "null" && string(raw) != "false":
		*r = finishReason(openai.FinishReasonStop)
	}
	return nil
}

// chatDelta is a part of the reply in an event.
type chatDelta struct {
	openai.ChatCompletionStreamChoiceDelta
	Content   content                        `json:"content"`
	ToolCalls lenientjson.List[callFragment] `json:"tool_calls"`
	// ReasoningContent, Reasoning and ReasoningText are names for the model's reasoning. Some servers
	// send two of them.
	ReasoningContent lenientjson.Text `json:"reasoning_content"`
	Reasoning        lenientjson.Text `json:"reasoning"`
	ReasoningText    lenientjson.Text `json:"reasoning_text"` // Copilot
	// ReasoningDetails is the reasoning with signatures, from OpenRouter.
	ReasoningDetails lenientjson.List[reasoningDetail] `json:"reasoning_details"`
	Annotations      lenientjson.List[annotation]      `json:"annotations"`
}

// with returns d with one example for each kind of content in another part. The method without needs
// only the kinds.
func (d chatDelta) with(more chatDelta) chatDelta {
	if more.answer() != "" {
		d.Content.answer = more.answer()
	}
	if thought, _ := more.thought(); thought != "" {
		d.Content.thought = thought
	}
	if calls := more.calls(); len(calls) > 0 {
		d.ToolCalls = calls
	}
	return d
}

// without returns a whole message without the kinds of content in soFar.
func (d chatDelta) without(soFar chatDelta) chatDelta {
	if soFar.answer() != "" {
		d.Content.answer, d.Refusal = "", ""
	}
	if thought, _ := soFar.thought(); thought != "" {
		d.Content.thought, d.ReasoningContent, d.Reasoning, d.ReasoningText, d.ReasoningDetails = "", "", "", "", nil
	}
	if len(soFar.calls()) > 0 {
		d.ToolCalls, d.FunctionCall = nil, nil
	}
	return d
}

// thought returns the part of the model's reasoning, and the name of its member.
func (d chatDelta) thought() (thought, field string) {
	switch {
	case d.ReasoningContent != "":
		return string(d.ReasoningContent), fieldReasoningContent
	case d.Reasoning != "":
		return string(d.Reasoning), fieldReasoning
	case d.ReasoningText != "":
		return string(d.ReasoningText), fieldReasoningText
	case d.Content.thought != "":
		return d.Content.thought, ""
	}
	// There may be only details. Encrypted details have no text.
	for _, detail := range d.ReasoningDetails {
		thought += lenientjson.Decode[string](detail["text"]) + lenientjson.Decode[string](detail["summary"])
	}
	return thought, ""
}

// answer returns the part of the answer or of a refusal.
func (d chatDelta) answer() string { return d.Content.answer + d.Refusal }

// content is the content of a message: a text, or parts. Some parts may be reasoning (Mistral).
type content struct{ answer, thought string }

// UnmarshalJSON implements json.Unmarshaler.
func (c *content) UnmarshalJSON(raw []byte) error {
	*c = content{}
	if raw[0] == '"' {
		c.answer = lenientjson.Decode[string](raw)
		return nil
	}
	for _, part := range lenientjson.Decode[lenientjson.List[struct {
		Text     lenientjson.Text `json:"text"`
		Thinking lenientjson.Text `json:"thinking"`
	}]](raw) {
		c.answer += string(part.Text)
		c.thought += string(part.Thinking)
	}
	return nil
}

// calls returns the fragments of tool calls, including one in the older function_call.
func (d chatDelta) calls() []callFragment {
	if d.FunctionCall == nil {
		return d.ToolCalls
	}
	older := callFragment{Index: lenientjson.Int{Is: true}}
	older.Function.Name = d.FunctionCall.Name
	older.Function.Arguments = lenientjson.JSON(d.FunctionCall.Arguments)
	return append(d.ToolCalls, older)
}

// callFragment is a part of a tool call, or a whole call.
type callFragment struct {
	openai.ToolCall
	Index    lenientjson.Int `json:"index"`
	Function struct {
		openai.FunctionCall
		Arguments lenientjson.JSON `json:"arguments"`
	} `json:"function"`
	// ExtraContent contains the thought signature of Gemini.
	ExtraContent json.RawMessage `json:"extra_content"`
}

func (f callFragment) name() string      { return f.Function.Name }
func (f callFragment) arguments() string { return string(f.Function.Arguments) }
