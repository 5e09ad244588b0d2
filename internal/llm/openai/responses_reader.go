package openai

import (
	"encoding/json"
	"strings"

	"github.com/sashabaranov/go-openai"

	"agent/internal/llm"
	"agent/internal/llm/lenientjson"
	"agent/internal/llm/refusal"
	"agent/internal/llm/vendor"
)

// responseReader adds the events of the Responses API to a reply.
type responseReader struct {
	reply *reply
	req   request
	// free contains the tools that were offered in free form.
	free freeForms
	// written contains the indexes of the output items whose text has been emitted, in part or whole.
	written map[int]bool
	// outputs counts the items that are not reasoning. said collects their content.
	outputs int
	said    said
	// summaries is set once a part of a summary has been emitted. The next part is a new paragraph.
	summaries bool
}

// take processes one event. A server that does not stream sends the response instead of an event.
func (s *responseReader) take(data []byte) error {
	event := lenientjson.Decode[openai.ResponseStreamEvent](data)
	r := s.reply
	if !r.known {
		s.tellDropped()
	}
	r.known = r.known || strings.HasPrefix(string(event.Type), "response.")
	switch event.Type {
	case openai.ResponseStreamEventOutputTextDelta, openai.ResponseStreamEventRefusalDelta:
		s.write(event.OutputIndex, event.Delta)
	case openai.ResponseStreamEventReasoningSummaryPartAdded:
		if s.summaries {
			r.emit(llm.Reasoning{Delta: "\n\n"})
		}
	case openai.ResponseStreamEventReasoningSummaryTextDelta, openai.ResponseStreamEventReasoningTextDelta:
		s.think(event.Delta)
	case openai.ResponseStreamEventFunctionArgumentsDelta, openai.ResponseStreamEventCustomToolInputDelta:
		s.addCall(event.OutputIndex, openai.ResponseOutputItem{Arguments: event.Delta})
	case openai.ResponseStreamEventOutputItemAdded:
		s.begin(event)
	case openai.ResponseStreamEventOutputItemDone:
		s.finishItem(event.OutputIndex, member(data, "item"))
	case openai.ResponseStreamEventError:
		return r.client.at.ProblemError(refusal.Problem{Message: refusal.Line(event.Message), Code: event.Code}, r.model)
	case openai.ResponseStreamEventCompleted, openai.ResponseStreamEventIncomplete, openai.ResponseStreamEventFailed:
		return s.end(member(data, "response"))
	case "":
		return s.end(data)
	}
	return nil
}

func member(data []byte, name string) json.RawMessage {
	return lenientjson.Decode[map[string]json.RawMessage](data)[name]
}

func (s *responseReader) write(index int, text string) {
	if text != "" {
		s.written[index] = true
		s.reply.emit(llm.Text{Delta: text})
	}
}

func (s *responseReader) think(text string) {
	if text != "" {
		s.summaries = true
		s.reply.emit(llm.Reasoning{Delta: text})
	}
}

func (s *responseReader) addCall(index int, item openai.ResponseOutputItem) {
	f := callFragment{Index: lenientjson.Int{Value: index, Is: true}}
	f.ID, f.Function.Name, f.Function.Arguments = item.CallID, item.Name, lenientjson.JSON(item.Arguments)
	s.reply.addCall(f)
}

// begin processes the beginning of an item. For minutes it may be the only sign of hidden reasoning.
func (s *responseReader) begin(event openai.ResponseStreamEvent) {
	s.reply.emit(llm.Heartbeat{Token: true})
	if item := event.Item; item != nil && (item.Type == "function_call" || item.Type == customCall) {
		s.addCall(event.OutputIndex, openai.ResponseOutputItem{CallID: item.CallID, Name: item.Name})
		s.announce()
	}
}

// announce emits the start of calls at once, because their names arrive in one part.
func (s *responseReader) announce() {
	for _, started := range s.reply.calls.announce(func(*partialCall) bool { return true }) {
		s.reply.emit(started)
	}
}

// finishItem processes a complete item. It adds only content that has not arrived in parts.
func (s *responseReader) finishItem(index int, raw json.RawMessage) {
	item := lenientjson.Decode[openai.ResponseOutputItem](raw)
	switch item.Type {
	case "reasoning":
		s.reply.size += s.reply.attach.addItem(reasoningItem{s.outputs, raw, s.said.digest()})
		if !s.summaries {
			s.think(summaryOf(item))
		}
	case "web_search_call":
		s.reply.size += s.reply.attach.addItem(reasoningItem{s.outputs, raw, s.said.digest()})
		s.reply.searched(raw)
	case "message":
		s.outputs++
		text := ""
		for _, part := range item.Content {
			text += part.Text + part.Refusal
		}
		s.said.text(text)
		if !s.written[index] {
			s.write(index, text)
		}
	case "function_call":
		s.outputs++
		s.said.call(item.Name, item.Arguments)
		s.finishCall(index, item)
	case customCall:
		s.outputs++
		free := lenientjson.Decode[freeCall](raw)
		s.said.call(free.Name, free.Input)
		s.finishCall(index, s.free.finish(raw))
	}
}

func (s *responseReader) finishCall(index int, item openai.ResponseOutputItem) {
	call := s.reply.calls.byIndex(lenientjson.Int{Value: index, Is: true})
	if call == nil || call.arguments.Len() == 0 {
		s.addCall(index, item)
	} else if item.Arguments != "" {
		call.arguments.Reset()
		call.arguments.WriteString(item.Arguments)
	}
	s.announce()
}

func summaryOf(item openai.ResponseOutputItem) string {
	var parts []string
	for _, part := range item.Summary {
		parts = append(parts, part.Text)
	}
	return strings.Join(parts, "\n\n")
}

// end processes the response at its end: complete, incomplete or failed. The response also contains
// items that have not arrived as events.
func (s *responseReader) end(raw json.RawMessage) error {
	r, response := s.reply, lenientjson.Decode[openai.CreateResponseResponse](raw)
	if failed := response.Error; failed != nil && response.Status == openai.ResponseStatusFailed {
		return r.client.at.ProblemError(refusal.Problem{Message: refusal.Line(failed.Message), Code: failed.Code}, r.model)
	}
	if s.outputs == 0 {
		for index, item := range lenientjson.Decode[[]json.RawMessage](member(raw, "output")) {
			s.finishItem(index, item)
		}
	}
	r.usage = lenientjson.Decode[chatUsage](member(raw, "usage")).report(0)
	if n := s.noteDropped(raw); n > 0 && r.usage != nil {
		r.usage.DroppedThinking = n
	}
	switch {
	case response.Status == openai.ResponseStatusFailed:
		return r.client.at.ProblemError(refusal.Problem{Message: "the response failed"}, r.model)
	case response.IncompleteDetails != nil && response.IncompleteDetails.Reason == "content_filter":
		r.finish = string(openai.FinishReasonContentFilter)
	case response.Status == openai.ResponseStatusIncomplete:
		r.finish = string(openai.FinishReasonLength)
	case response.Status != openai.ResponseStatusCompleted:
		return nil
	case len(r.calls.calls) > 0:
		r.finish = string(openai.FinishReasonToolCalls)
	default:
		r.finish = string(openai.FinishReasonStop)
	}
	r.done = true
	return nil
}

// noteDropped records that the server has dropped reasoning because the conversation before it has
// changed, and returns the number of items. Such reasoning should not have been sent: the model's
// reasoning is bound, and this was not known. The next reply begins with a note about it.
func (s *responseReader) noteDropped(response json.RawMessage) (dropped int) {
	for _, change := range lenientjson.Decode[[]struct{ Action, Reason string }](member(response, "input_transformations")) {
		if change.Action != "removed" || change.Reason != "prefix_mismatch" {
			continue
		}
		if dropped++; dropped > 1 {
			continue
		}
		note := "the provider ignored the reasoning of earlier replies because earlier messages changed"
		if s.req.Dialect.Bound || vendor.BoundReasoningOf(s.req.Model).Prefix() {
			note += ". This is a bug in agent; please report it"
		}
		if lessons := s.reply.client.config.Lessons; lessons != nil {
			learned := s.req.Dialect
			learned.Bound = true
			lessons.Keep(s.req.Model, learned)
		}
		s.reply.client.dropped.LoadOrStore(s.req.Model, note)
	}
	return dropped
}

// tellDropped yields a note, once, that the server has dropped reasoning from an earlier request.
func (s *responseReader) tellDropped() {
	told := &s.reply.client.dropped
	if note, _ := told.Load(s.req.Model); note != nil && told.CompareAndSwap(s.req.Model, note, "") && note != "" {
		s.reply.emit(llm.AdaptedRequest{Note: note.(string)})
	}
}
