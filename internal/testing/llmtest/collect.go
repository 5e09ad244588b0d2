package llmtest

import (
	"context"
	"errors"
	"testing"

	"agent/internal/history"
	"agent/internal/llm"
)

// Question returns a request with a user text for the model "m".
func Question(text string) llm.Request {
	return llm.Request{Model: "m", System: "be brief", History: []*history.Content{history.HumanText(text)}}
}

// Reply is the result of a stream: the reply after the last discard, and how it ended.
type Reply struct {
	Text, Reasoning string
	// Thought is the data attached to the reasoning.
	Thought *history.Attachment
	// Started lists the names of the announced calls, Calls the complete calls.
	Started []string
	Calls   []llm.ToolCall
	Usage   llm.Usage
	Finish  string
	Retries int
	// Notes lists the notes of Adapted chunks.
	Notes []string
	Err   error
}

// Collect reads a reply to its end and checks the order of chunks that the contract of llm.Provider
// requires.
func Collect(ctx context.Context, t testing.TB, p llm.Provider, req llm.Request) Reply {
	t.Helper()
	var r Reply
	for chunk, err := range p.Stream(ctx, req) {
		if r.Finish != "" || r.Err != nil {
			t.Errorf("%T (%v) after the end", chunk, err)
		}
		if err != nil {
			r.Err = err
			continue
		}
		r.take(t, chunk)
	}
	r.check(ctx, t)
	return r
}

func (r *Reply) take(t testing.TB, chunk llm.Chunk) {
	t.Helper()
	switch chunk := chunk.(type) {
	case llm.Heartbeat, llm.ServerSearch:
	case llm.Text:
		r.Text += chunk.Delta
	case llm.Reasoning:
		r.Reasoning += chunk.Delta
	case llm.TextWasReasoning:
		if r.Text == "" {
			t.Error("nothing was thinking")
		}
		r.Text, r.Reasoning = "", r.Reasoning+r.Text
	case llm.ToolCallStarted:
		r.Started = append(r.Started, chunk.Name)
	case llm.ReasoningAttachment:
		if r.Thought != nil || len(r.Calls) > 0 {
			t.Error("a second Thought, or one after a call")
		}
		r.Thought = chunk.Attached
	case llm.ToolCall:
		if r.Usage != (llm.Usage{}) {
			t.Error("a call after the usage")
		}
		r.Calls = append(r.Calls, chunk)
	case llm.Usage:
		r.Usage = chunk
	case llm.Finish:
		r.Finish = chunk.Reason
	case llm.RetryNotice:
		begun := r.Text != "" || r.Reasoning != "" || len(r.Started) > 0
		if begun != chunk.Discard {
			t.Errorf("Retrying with Discard %v after %+v", chunk.Discard, r)
		}
		*r = Reply{Retries: r.Retries + 1, Notes: r.Notes}
	case llm.AdaptedRequest:
		if r.Text != "" || r.Reasoning != "" || len(r.Started) > 0 {
			t.Error("Adapted within a reply")
		}
		r.Notes = append(r.Notes, chunk.Note)
	default:
		t.Errorf("unknown chunk %T", chunk)
	}
}

// check checks what must be true of every reply.
func (r *Reply) check(ctx context.Context, t testing.TB) {
	t.Helper()
	var failure *llm.Error
	switch {
	case r.Err == nil && r.Finish == "":
		t.Error("neither a finish nor an error")
	case r.Err == nil:
	case ctx.Err() != nil:
		if !errors.Is(r.Err, ctx.Err()) {
			t.Errorf("ctx ended, and the error is %v", r.Err)
		}
	case !errors.As(r.Err, &failure):
		t.Errorf("%v (%T) is no *llm.Error", r.Err, r.Err)
	case failure.Message == "" || failure.Hint == "":
		t.Errorf("%+v does not say what happened or what to do", failure)
	}
	ids := map[string]bool{"": true}
	for _, call := range r.Calls {
		if ids[call.ID] {
			t.Errorf("the call id %q is empty or there twice", call.ID)
		}
		ids[call.ID] = true
	}
	if r.Err == nil && len(r.Started) != len(r.Calls) {
		t.Errorf("%d calls were announced and %d came", len(r.Started), len(r.Calls))
	}
}
