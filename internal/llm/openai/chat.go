package openai

import (
	"cmp"

	"github.com/sashabaranov/go-openai"

	"agent/internal/llm"
	"agent/internal/llm/lenientjson"
)

// chatCompletions is the format of /chat/completions, which nearly every server supports.
type chatCompletions struct{}

func (chatCompletions) path() string { return "/chat/completions" }

func (chatCompletions) reader(r *reply, req request) func([]byte) error {
	r.attach = attacher{replay: replayFor(req)}
	if _, opens := r.client.opensThinking.Load(req.Model); opens {
		r.tags.inside, r.tags.closing = true, closingThink
	}
	return func(data []byte) error { return r.takeChatEvent(lenientjson.Decode[chatEvent](data)) }
}

func (r *reply) takeChatEvent(event chatEvent) error {
	if usage := event.usage(); usage != nil {
		r.usage, r.cited.Times = usage, max(r.cited.Times, event.Usage.ServerTools.Searches.NonNegative())
	}
	choice := event.first()
	r.known = r.known || len(event.Choices) > 0
	for _, part := range choice.parts(r.soFar) {
		r.takeDelta(part)
	}
	if r.finish != "" || choice.FinishReason == "" {
		return nil
	}
	complete := choice.FinishReason == finishReason(openai.FinishReasonStop) && len(r.calls.calls) == 0
	r.endText(complete)
	return r.finishFor(string(choice.FinishReason))
}

// takeDelta processes a part of the message.
func (r *reply) takeDelta(delta chatDelta) {
	r.soFar = r.soFar.with(delta)
	r.collectSources(delta.Annotations)
	if thought, field := delta.thought(); thought != "" {
		r.attach.field = cmp.Or(field, r.attach.field)
		r.emit(llm.Reasoning{Delta: thought})
	}
	r.size += r.attach.addDetails(delta.ReasoningDetails)
	if answer := delta.answer(); answer != "" {
		r.write(r.tags.add(answer))
	}
	for _, fragment := range delta.calls() {
		r.addCall(fragment)
	}
}

// write emits the reasoning and the answer in a part of the content.
func (r *reply) write(thought, answer string) {
	if thought != "" {
		if r.tags.opening == fieldThinkTags {
			r.attach.field = fieldThinkTags
		}
		r.emit(llm.Reasoning{Delta: thought})
	}
	if answer == "" || r.tags.closing != "" {
		r.emitText(answer)
		return
	}
	before, after, found := r.stray.add(answer)
	if !found {
		r.emitText(before)
		return
	}
	r.client.opensThinking.Store(r.model, true)
	if r.answered {
		r.answered = false
		r.emit(llm.TextWasReasoning{})
	}
	if before != "" {
		r.emit(llm.Reasoning{Delta: before})
	}
	r.tags.closed = true // remove the space after the tag
	r.emitText(r.tags.trimLeadingSpace(after))
}

func (r *reply) emitText(text string) {
	if text != "" {
		r.emit(llm.Text{Delta: text})
	}
}

// endText emits the text that was held back. complete means that the reply is complete and has no
// calls, so that it must have an answer.
func (r *reply) endText(complete bool) {
	if r.tags.inside && r.tags.opening == "" {
		r.client.opensThinking.Delete(r.model) // the expected tag did not arrive
	}
	r.write(r.tags.end(complete))
	r.emitText(r.stray.end())
}
