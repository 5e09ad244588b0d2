package openai

import (
	"encoding/json"

	"github.com/sashabaranov/go-openai"

	"agent/internal/llm"
	"agent/internal/llm/loose"
)

// The types in this file are those of the library for a streamed chat completion, extended
// by the members of other vendors and lenient where servers send other types.

// chatEvent is an event of a stream, or the whole completion of a server that does not
// stream.
type chatEvent struct {
	Choices loose.List[chatChoice] `json:"choices"`
	Usage   chatUsage              `json:"usage"`
	// Timings is llama.cpp's own report.
	Timings struct {
		CacheN loose.Int `json:"cache_n"`
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

// usage returns the report of tokens, nil if there is none.
func (e chatEvent) usage() *llm.Usage {
	if report := e.Usage.report(e.Timings.CacheN.Count()); report != nil {
		return report
	}
	return e.first().Usage.report(0)
}

// chatChoice is one choice of an event.
type chatChoice struct {
	Index        loose.Int    `json:"index"`
	Delta        *chatDelta   `json:"delta"`
	FinishReason finishReason `json:"finish_reason"`
	// Usage is set by Moonshot.
	Usage chatUsage `json:"usage"`
	// Message is set instead of Delta by servers that do not stream.
	Message *chatDelta `json:"message"`
}

// parts returns what the event adds to a reply: a piece, and a whole message without the kinds
// of content that have arrived in pieces before.
func (c chatChoice) parts(came chatDelta) []chatDelta {
	var parts []chatDelta
	if c.Delta != nil {
		parts = append(parts, *c.Delta)
		came = came.with(*c.Delta)
	}
	if c.Message != nil {
		parts = append(parts, c.Message.without(came))
	}
	return parts
}

// finishReason is why a reply ended, "" while it continues. A reason that is no
// string still says that the reply is complete.
type finishReason string

// UnmarshalJSON implements json.Unmarshaler.
func (r *finishReason) UnmarshalJSON(raw []byte) error {
	switch reason := openai.FinishReason(loose.Decode[string](raw)); {
	case reason == openai.FinishReasonFunctionCall:
		*r = finishReason(openai.FinishReasonToolCalls)
	case raw[0] == '"' && reason != openai.FinishReasonNull: // DashScope's null is a string
		*r = finishReason(reason)
	case raw[0] != '"' && string(raw) != "null" && string(raw) != "false":
		*r = finishReason(openai.FinishReasonStop)
	}
	return nil
}

// chatDelta is what an event adds to the reply.
type chatDelta struct {
	openai.ChatCompletionStreamChoiceDelta
	Content   content                  `json:"content"`
	ToolCalls loose.List[callFragment] `json:"tool_calls"`
	// The names for the model's thinking; some servers send two of them.
	ReasoningContent loose.Text `json:"reasoning_content"`
	Reasoning        loose.Text `json:"reasoning"`
	ReasoningText    loose.Text `json:"reasoning_text"` // Copilot
	// ReasoningDetails is OpenRouter's: the same with signatures.
	ReasoningDetails loose.List[reasoningDetail] `json:"reasoning_details"`
}

// with returns d with an example of each kind of content in another piece, for without.
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

// without returns a whole message without the kinds of content that came has.
func (d chatDelta) without(came chatDelta) chatDelta {
	if came.answer() != "" {
		d.Content.answer, d.Refusal = "", ""
	}
	if thought, _ := came.thought(); thought != "" {
		d.Content.thought, d.ReasoningContent, d.Reasoning, d.ReasoningText, d.ReasoningDetails = "", "", "", "", nil
	}
	if len(came.calls()) > 0 {
		d.ToolCalls, d.FunctionCall = nil, nil
	}
	return d
}

// thought returns the piece of the model's thinking, and the member that has it.
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
	// There may be only details, of which encrypted ones have no words.
	for _, detail := range d.ReasoningDetails {
		thought += loose.Decode[string](detail["text"]) + loose.Decode[string](detail["summary"])
	}
	return thought, ""
}

// answer returns the piece of the answer, or of a refusal.
func (d chatDelta) answer() string { return d.Content.answer + d.Refusal }

// content is the content of a message: a text, or parts, some of which may be thinking
// (Mistral).
type content struct{ answer, thought string }

// UnmarshalJSON implements json.Unmarshaler.
func (c *content) UnmarshalJSON(raw []byte) error {
	*c = content{}
	if raw[0] == '"' {
		c.answer = loose.Decode[string](raw)
		return nil
	}
	for _, part := range loose.Decode[loose.List[struct {
		Text     loose.Text `json:"text"`
		Thinking loose.Text `json:"thinking"`
	}]](raw) {
		c.answer += string(part.Text)
		c.thought += string(part.Thinking)
	}
	return nil
}

// calls returns the fragments of tool calls, also of the older function_call.
func (d chatDelta) calls() []callFragment {
	if d.FunctionCall == nil {
		return d.ToolCalls
	}
	older := callFragment{Index: loose.Int{Is: true}}
	older.Function.Name = d.FunctionCall.Name
	older.Function.Arguments = loose.JSON(d.FunctionCall.Arguments)
	return append(d.ToolCalls, older)
}

// callFragment is a piece of a tool call, or a whole one.
type callFragment struct {
	openai.ToolCall
	Index    loose.Int `json:"index"`
	Function struct {
		openai.FunctionCall
		Arguments loose.JSON `json:"arguments"`
	} `json:"function"`
	// ExtraContent is Gemini's: the thought signature.
	ExtraContent json.RawMessage `json:"extra_content"`
}

func (f callFragment) name() string      { return f.Function.Name }
func (f callFragment) arguments() string { return string(f.Function.Arguments) }
