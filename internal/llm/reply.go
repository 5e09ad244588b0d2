package llm

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"time"

	"agent/internal/llm/sse"
)

// Waits at the end of a reply, when everything that matters has come.
const (
	// usageGrace is how long the usage may come after the finish reason.
	usageGrace = 5 * time.Second
	// drainGrace is how long the end of the body may come after the last event. A
	// body read to its end gives the connection back for the next request.
	drainGrace = 50 * time.Millisecond
)

// format is a wire format: how a request is written and how the events of its
// reply are read.
type format interface {
	// path is added to the base URL.
	path() string
	encode(Request) []byte
	// read takes one event of a reply into it.
	reader(*reply) func(sse.Event) error
}

// requester is the Provider that makes one request in a format.
type requester struct {
	client *Client
	format format
}

// Stream implements Provider.
func (q *requester) Stream(ctx context.Context, req Request) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		r := &reply{client: q.client, model: req.Model, yield: yield, calls: callAssembler{newID: q.client.newCallID}}
		err := q.run(ctx, req, r)
		switch {
		case r.left || err == nil:
		case ctx.Err() != nil:
			yield(nil, ctx.Err())
		default:
			yield(nil, r.failure(err))
		}
	}
}

// run makes the request and emits the reply. It returns nil when the reply was
// complete or the consumer has left.
func (q *requester) run(ctx context.Context, req Request, r *reply) error {
	x, err := q.client.post(ctx, q.format.path(), req.Model, q.format.encode(req))
	if err != nil {
		return err
	}
	defer x.close()
	if err := r.receive(x, q.format.reader(r)); err != nil && r.finish == "" {
		return err
	}
	if r.left {
		return nil
	}
	if r.finish == "" {
		return r.truncated("the reply ended before it was complete", nil)
	}
	r.complete()
	x.expect(drainGrace)
	x.drain()
	return nil
}

// reply is a reply while it arrives, in terms of no format.
type reply struct {
	client *Client
	model  string
	yield  func(Chunk, error) bool

	calls  callAssembler
	usage  *Usage
	finish string
	// done is set when the server has said that nothing follows.
	done bool
	// begun is set when a part of the reply has been emitted; left when the
	// consumer wants no more.
	begun bool
	left  bool
}

// receive reads events until the stream ends or the consumer leaves. An event
// that adds nothing to the reply is a pulse.
func (r *reply) receive(x *exchange, read func(sse.Event) error) error {
	hurried := false
	for event, err := range x.events() {
		if err != nil {
			return err
		}
		if event.Data == nil {
			r.emit(Pulse{})
		} else if err := r.take(event, read); err != nil {
			return err
		}
		if r.left || r.done {
			return nil
		}
		if r.finish != "" && !hurried {
			hurried = true
			x.expect(usageGrace)
		}
	}
	return nil
}

func (r *reply) take(event sse.Event, read func(sse.Event) error) error {
	if string(event.Data) == "[DONE]" {
		r.done = true
		return nil
	}
	if p, bad := problemInEvent(event.Data, event.Name); bad {
		return r.client.problemError(p, r.model)
	}
	if !json.Valid(event.Data) {
		return r.truncated("sent an event that is not valid JSON: "+oneLine(string(event.Data)), nil)
	}
	r.emit(Pulse{})
	return read(event)
}

// complete emits what is only certain at the end of a reply.
func (r *reply) complete() {
	for _, call := range r.calls.finished() {
		r.emit(call)
	}
	if r.usage != nil {
		r.emit(*r.usage)
	}
	r.emit(Finish{Reason: r.finish})
}

// emit hands a chunk to the consumer, unless that has left.
func (r *reply) emit(chunk Chunk) {
	if r.left {
		return
	}
	if _, pulse := chunk.(Pulse); !pulse {
		r.begun = true
	}
	r.left = !r.yield(chunk, nil)
}

func (r *reply) truncated(text string, cause error) *Error {
	failure := r.client.fail(Truncated, r.model, text)
	failure.Err = cause
	return failure
}

// failure turns what went wrong into an *Error.
func (r *reply) failure(err error) *Error {
	var (
		known *Error
		stray *sse.StrayError
	)
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &stray):
		return r.client.problemError(problem{notAnAPI: true, message: oneLine(stray.First)}, r.model)
	case r.begun, errors.Is(err, io.ErrUnexpectedEOF):
		return r.truncated("the connection broke within the reply", err)
	default:
		return r.client.connectionFailure(err, r.model)
	}
}
