package llm

import (
	"agent/internal/llm/loose"
	"agent/internal/llm/sse"
)

// chatCompletions is the format of /chat/completions, which nearly every server
// speaks.
type chatCompletions struct {
	// host is the endpoint's, to which attachments belong.
	host string
}

func (chatCompletions) path() string { return "/chat/completions" }

func (f chatCompletions) reader(r *reply, req Request) func(sse.Event) error {
	r.attach = attacher{replay: replayFor(req, f.host)}
	return func(event sse.Event) error {
		r.takeChatEvent(loose.Decode[chatEvent](event.Data))
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
	if thought, field := delta.thought(); thought != "" {
		r.attach.field = field
		r.emit(Reasoning{Delta: thought})
	}
	r.size += r.attach.addDetails(delta.ReasoningDetails)
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
