package anthropic

import (
	"cmp"
	"context"
	"encoding/json"

	"agent/internal/llm"
	"agent/internal/llm/endpoint"
	"agent/internal/llm/refusal"
)

// Limits of one reply. No model reaches them, but a server that never stops would fill the memory.
const (
	maxReply  = 8 << 20 // maxReply is in bytes
	maxBlocks = 2048
)

// reply is the state of a reply that is being received. It may take several exchanges, because the
// server pauses long replies with server tools.
type reply struct {
	client *Client
	req    *request
	yield  func(llm.Chunk, error) bool
	// origin describes the request.
	origin origin

	blocks []*replyBlock
	// begin is the index of the first block of the present exchange.
	begin int
	usage llm.Usage
	// counted contains the usage reports of the present exchange.
	counted usage
	stop    string
	// paused is set if the server paused the reply, which the next request must continue.
	paused bool
	// ended is set by message_stop. known is set once an event of this API has arrived. strange is the
	// first event of another API.
	ended   bool
	known   bool
	strange string
	// begun is set once a part of the reply has been emitted.
	begun bool
	// quit is set once the consumer has stopped.
	quit bool
	size int
	// thought is set once thinking has been emitted. The next block is a new paragraph.
	thought bool
	// missed is the provider's reason for a cache miss.
	missed string
	// dropped counts the thinking that the server has dropped, by reason.
	dropped map[string]int
	started int
}

// exchange sends one request and adds its part of the reply. It returns nil if the exchange was
// complete or the consumer has stopped.
func (r *reply) exchange(ctx context.Context, c *conversation) error {
	r.begin, r.counted, r.stop, r.paused, r.ended = len(r.blocks), usage{}, "", false, false
	x, err := r.client.at.Post(ctx, r.client.path(r.req.Model), r.req.Model, r.req.encode(c), headerOf(r.req.betas()))
	if err != nil {
		return err
	}
	defer x.Close()
	r.client.tellLimits(x.Header)
	for _, note := range r.client.newNotes(r.req.notes()) {
		r.emit(llm.AdaptedRequest{Note: note})
	}
	if err := r.receive(x); err != nil {
		return err
	}
	switch {
	case r.quit:
		return nil
	case !r.known && r.strange != "":
		failure := r.client.at.NewError(llm.NotAnAPI, r.req.Model, "sent events of another API: "+r.strange)
		failure.Final = true
		return failure
	case r.stop == "":
		return r.truncated("the reply ended before it was complete")
	}
	x.Drain()
	r.usage = r.counted.added(r.usage)
	r.paused = r.stop == "pause_turn"
	return nil
}

func (r *reply) receive(x *endpoint.Exchange) error {
	for event, err := range x.Events() {
		if err != nil {
			return err
		}
		if event.Data == nil {
			r.emit(llm.Heartbeat{})
		} else if err := r.take(event); err != nil {
			return err
		}
		if r.quit || r.ended {
			return nil
		}
	}
	return nil
}

// complete emits the parts that are known only at the end of the reply.
func (r *reply) complete() error {
	finish := finishes[r.stop]
	said := false
	var calls []*replyBlock
	for _, b := range r.blocks {
		if b.kind == kindCall {
			calls = append(calls, b)
		}
		said = said || b.kind == kindText && !isBlank(b.text.String())
	}
	switch {
	case r.stop == "model_context_window_exceeded":
		return r.client.at.ProblemError(refusal.Problem{Message: "the reply does not fit into the model's context window", Code: r.stop}, r.req.Model)
	case r.stop == "refusal" && !said && len(calls) == 0:
		failure := r.client.at.ProblemError(refusal.Problem{Message: "the model refuses to answer: its safety filter blocked the whole reply", Code: "content_filter"}, r.req.Model)
		failure.Final = true
		return failure
	case finish == "":
		finish = r.stop
	}
	if attached := r.pack(); attached != nil {
		r.emit(llm.ReasoningAttachment{Attached: attached})
	}
	for i, b := range calls {
		input := cmp.Or(b.text.String(), "{}")
		cut := finish == finishLength && i == len(calls)-1 && !json.Valid([]byte(input))
		r.emit(llm.ToolCall{ID: b.id, Name: b.name, Arguments: input, Cut: cut})
	}
	if r.usage.PromptTokens+r.usage.CompletionTokens > 0 {
		r.usage.CacheMiss, r.usage.DroppedThinking = r.missed, r.dropped[prefixMismatch]
		r.emit(r.usage)
	}
	r.emit(llm.Finish{Reason: finish})
	return nil
}

// finishLength is the finish reason of a reply that reached the output limit.
const finishLength = "length"

// finishes maps stop reasons to finish reasons.
var finishes = map[string]string{
	"end_turn":      "stop",
	"stop_sequence": "stop",
	"pause_turn":    "stop",
	"tool_use":      "tool_calls",
	"max_tokens":    finishLength,
	"refusal":       "content_filter",
}

// emit yields a chunk, unless the consumer has stopped.
func (r *reply) emit(chunk llm.Chunk) {
	if r.quit {
		return
	}
	switch chunk.(type) {
	case llm.Heartbeat, llm.AdaptedRequest:
	default:
		r.begun = true
	}
	r.quit = !r.yield(chunk, nil)
}

func (r *reply) malformed(text string) *llm.Error {
	return r.client.at.MalformedError(r.req.Model, text)
}

func (r *reply) truncated(text string) *llm.Error {
	failure := r.client.at.NewError(llm.Truncated, r.req.Model, text)
	failure.Costly = r.begun || r.known
	return failure
}
