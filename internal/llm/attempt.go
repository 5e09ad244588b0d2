package llm

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"time"

	"github.com/sashabaranov/go-openai"
)

// Waits at the end of a reply, when everything that matters has come.
const (
	// usageGrace is how long the usage may come after the finish reason.
	usageGrace = 5 * time.Second
	// drainGrace is how long the end of the body may come after [DONE]. A body read
	// to its end gives the connection back for the next request.
	drainGrace = 50 * time.Millisecond
)

// attempt is one request and its reply. Its run is the only place that yields the
// parts of a reply.
type attempt struct {
	client *Client
	model  string
	yield  func(Chunk, error) bool
	watch  *watchdog

	calls  callAssembler
	usage  *Usage
	finish string
	// yielded is set when a part of the reply has been handed out; left when the
	// consumer wants no more.
	yielded bool
	left    bool
}

// run makes the request and yields the reply. It returns nil when the reply was
// complete or the consumer has left.
func (a *attempt) run(parent context.Context, body []byte) *Error {
	ctx, cancel := context.WithCancelCause(parent)
	defer cancel(nil)
	a.watch = newWatchdog(cancel, a.client.config.FirstTimeout, a.client.config.IdleTimeout)
	defer a.watch.stop()
	a.calls.newID = a.client.newCallID

	exchange := &exchange{client: a.client, model: a.model, body: body, watch: a.watch}
	stream, err := exchange.open(ctx)
	if err != nil {
		return a.failure(ctx, err)
	}
	defer func() { _ = stream.Close() }()
	if err := a.receiveAll(stream); err != nil && a.finish == "" {
		return a.failure(ctx, err)
	}
	if a.left {
		return nil
	}
	if a.finish == "" {
		return a.client.fail(Truncated, a.model, "the reply ended before it was complete")
	}
	a.complete()
	a.watch.expect(drainGrace)
	exchange.drain()
	return nil
}

// receiveAll reads events until the stream ends or the consumer leaves.
func (a *attempt) receiveAll(stream *openai.ChatCompletionStream) error {
	for !a.left {
		raw, err := stream.RecvRaw()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := a.receive(raw); err != nil {
			return err
		}
	}
	return nil
}

// receive takes one event. RecvRaw is read instead of the library's decoded form,
// which knows neither the key reasoning nor calls without an index.
func (a *attempt) receive(raw []byte) error {
	var event streamEvent
	if err := json.Unmarshal(raw, &event); err != nil {
		return a.client.fail(Truncated, a.model, "sent an event that is not valid JSON: "+oneLine(string(raw)))
	}
	if usage := event.usage(); usage != nil {
		a.usage = usage
	}
	for _, choice := range event.Choices {
		if choice.Index != 0 {
			continue
		}
		delta := choice.part()
		if r := delta.reasoning(); r != "" {
			a.hand(Reasoning{Delta: r})
		}
		if text := delta.text(); text != "" {
			a.hand(Text{Delta: text})
		}
		for _, fragment := range delta.ToolCalls {
			if started := a.calls.add(fragment); started != nil {
				a.hand(*started)
			}
		}
		if choice.FinishReason != "" && a.finish == "" {
			a.finish = choice.FinishReason
			a.watch.expect(usageGrace)
		}
	}
	return nil
}

// complete yields what is only certain at the end of a reply.
func (a *attempt) complete() {
	for _, call := range a.calls.finished() {
		a.hand(call)
	}
	if a.usage != nil {
		a.hand(*a.usage)
	}
	a.hand(Finish{Reason: a.finish})
}

func (a *attempt) hand(chunk Chunk) {
	if a.left {
		return
	}
	a.yielded = true
	a.left = !a.yield(chunk, nil)
}

// failure turns what went wrong into an *Error.
func (a *attempt) failure(ctx context.Context, err error) *Error {
	var known *Error
	if errors.As(err, &known) {
		return known
	}
	var stalled *stallError
	if errors.As(context.Cause(ctx), &stalled) {
		failure := a.client.fail(Unavailable, a.model, stalled.Error())
		failure.Err = stalled
		return failure
	}
	if a.yielded || errors.Is(err, io.ErrUnexpectedEOF) {
		failure := a.client.fail(Truncated, a.model, "the connection broke within the reply")
		failure.Err = err
		return failure
	}
	return a.client.connectionFailure(err, a.model)
}
