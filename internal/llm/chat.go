package llm

import (
	"encoding/json"

	"agent/internal/llm/sse"
)

// chatCompletions is the format of /chat/completions, which nearly every server
// speaks.
type chatCompletions struct{}

func (chatCompletions) path() string { return "/chat/completions" }

func (chatCompletions) encode(req Request) []byte { return encodeRequest(req) }

func (chatCompletions) reader(r *reply) func(sse.Event) error {
	return func(event sse.Event) error { return r.takeChatEvent(event.Data) }
}

// takeChatEvent takes one event of a chat completion.
func (r *reply) takeChatEvent(data []byte) error {
	var event streamEvent
	if err := json.Unmarshal(data, &event); err != nil {
		return r.truncated("sent an event that is not valid JSON: "+oneLine(string(data)), nil)
	}
	if usage := event.usage(); usage != nil {
		r.usage = usage
	}
	for _, choice := range event.Choices {
		if choice.Index == 0 {
			r.takeChoice(choice)
		}
	}
	return nil
}

func (r *reply) takeChoice(c choice) {
	delta := c.part()
	if thought := delta.reasoning(); thought != "" {
		r.emit(Reasoning{Delta: thought})
	}
	if text := delta.text(); text != "" {
		r.emit(Text{Delta: text})
	}
	for _, fragment := range delta.ToolCalls {
		if started := r.calls.add(fragment); started != nil {
			r.emit(*started)
		} else {
			r.emit(Pulse{Token: true})
		}
	}
	if r.finish == "" {
		r.finish = c.FinishReason
	}
}
