package llm

import "agent/internal/llm/sse"

// chatCompletions is the format of /chat/completions, which nearly every server
// speaks.
type chatCompletions struct{}

func (chatCompletions) path() string { return "/chat/completions" }

func (chatCompletions) encode(req Request) []byte { return encodeRequest(req) }

func (chatCompletions) reader(r *reply) func(sse.Event) error {
	return func(event sse.Event) error {
		r.takeChatEvent(decode[chatEvent](event.Data))
		return nil
	}
}

// takeChatEvent takes one event of a chat completion.
func (r *reply) takeChatEvent(event chatEvent) {
	if usage := event.usage(); usage != nil {
		r.usage = usage
	}
	choice := event.first()
	delta := choice.part()
	if thought := delta.thought(); thought != "" {
		r.emit(Reasoning{Delta: thought})
	}
	if answer := delta.answer(); answer != "" {
		r.emit(Text{Delta: answer})
	}
	for _, fragment := range delta.calls() {
		r.addCall(fragment)
	}
	if r.finish == "" {
		r.finish = string(choice.FinishReason)
	}
}
