package llm

import (
	"encoding/json"

	"github.com/sashabaranov/go-openai"
)

// chatEvent is an event of a streamed chat completion, or the whole completion of
// a server that does not stream. The library's types for it fail as a whole when
// one member has an unexpected shape, and know only OpenAI's members.
type chatEvent struct{ object }

// first returns the choice that is read: the one with index 0.
func (e chatEvent) first() (chatChoice, bool) {
	for _, raw := range e.list("choices") {
		choice := readObject(raw)
		if index, ok := choice.number("index"); !ok || index == 0 {
			return chatChoice{choice}, choice != nil
		}
	}
	return chatChoice{}, false
}

// usage reads the report under the names that providers have for cached tokens.
func (e chatEvent) usage() *Usage {
	report := e.object.object("usage")
	usage := Usage{PromptTokens: report.tokens("prompt_tokens"), CompletionTokens: report.tokens("completion_tokens")}
	if usage == (Usage{}) {
		return nil
	}
	cached := max(
		report.object("prompt_tokens_details").tokens("cached_tokens"),
		report.tokens("cached_tokens"),               // Moonshot
		report.tokens("prompt_cache_hit_tokens"),     // DeepSeek
		e.object.object("timings").tokens("cache_n"), // llama.cpp
	)
	usage.CachedTokens = min(cached, usage.PromptTokens)
	return &usage
}

// chatChoice is one choice of an event.
type chatChoice struct{ object }

// delta is what the event adds: "message" where a server does not stream.
func (c chatChoice) delta() chatDelta {
	if delta := c.object.object("delta"); delta != nil {
		return chatDelta{delta}
	}
	return chatDelta{c.object.object("message")}
}

// finish returns the finish reason, "" if there is none. One that is no string
// still says that the reply is complete.
func (c chatChoice) finish() string {
	switch raw := c.present("finish_reason"); {
	case len(raw) == 0, string(raw) == "false", string(raw) == `""`:
		return ""
	case raw[0] != '"':
		return string(openai.FinishReasonStop)
	}
	reason := c.text("finish_reason")
	if reason == string(openai.FinishReasonFunctionCall) {
		return string(openai.FinishReasonToolCalls)
	}
	return reason
}

// chatDelta is what an event adds to the reply.
type chatDelta struct{ object }

// reasoning returns the model's thinking, which has two names; some servers send
// both.
func (d chatDelta) reasoning() string {
	for _, field := range reasoningFields {
		if thought := d.text(field); thought != "" {
			return thought
		}
	}
	return ""
}

var reasoningFields = []string{"reasoning_content", "reasoning"}

// answer returns the piece of the answer. A refusal is one too.
func (d chatDelta) answer() string { return d.text("content") + d.text("refusal") }

// calls returns the fragments of tool calls, also of the older function_call.
func (d chatDelta) calls() []callFragment {
	var fragments []callFragment
	for _, raw := range d.list("tool_calls") {
		if call := readObject(raw); call != nil {
			fragments = append(fragments, newCallFragment(call, call.object("function")))
		}
	}
	if function := d.object.object("function_call"); function != nil {
		fragments = append(fragments, newCallFragment(object{"index": json.RawMessage("0")}, function))
	}
	return fragments
}

// callFragment is a piece of a tool call, or all of it.
type callFragment struct {
	// index is the call's number in the reply, -1 if the server gives none.
	index               int
	id, name, arguments string
}

func newCallFragment(call, function object) callFragment {
	f := callFragment{index: -1, id: call.text("id"), name: function.text("name")}
	if index, ok := call.number("index"); ok {
		f.index = index
	}
	// Arguments are a string; a few servers send the object itself.
	if raw := function.present("arguments"); len(raw) > 0 && raw[0] == '"' {
		f.arguments = function.text("arguments")
	} else {
		f.arguments = string(raw)
	}
	return f
}
