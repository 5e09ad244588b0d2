package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/sashabaranov/go-openai"

	"agent/internal/llm"
	"agent/internal/llm/endpoint"
	"agent/internal/llm/refusal"
	"agent/internal/llm/sse"
)

// usageGrace is the time after the finish reason in which the usage may arrive.
const usageGrace = 5 * time.Second

// Limits of one reply. No model reaches them, but a server that never stops would fill the memory or
// keep the program busy forever.
const (
	maxReply = 8 << 20 // maxReply limits text, reasoning, arguments and attachments, in bytes
	maxParts = 256     // maxParts limits the details of the reasoning
	maxCalls = 1024    // maxCalls limits the calls in one reply
)

// format is a wire format: it writes requests and reads the events of replies.
type format interface {
	// path returns the path that is added to the base URL.
	path() string
	encode(request) []byte
	// reader returns the function that adds the data of an event to the reply.
	reader(*reply, request) func(data []byte) error
}

// stream sends one request in a format and yields the reply, as specified by llm.Provider.
func (c *Client) stream(ctx context.Context, f format, req request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		r := &reply{client: c, model: req.Model, yield: yield, calls: callAssembler{newID: c.newCallID}}
		err := c.run(ctx, f, req, r)
		switch {
		case r.quit || err == nil:
		case ctx.Err() != nil:
			yield(nil, ctx.Err())
		default:
			yield(nil, c.at.WrapError(err, r.model, r.begun || r.known || r.done))
		}
	}
}

// run sends the request and emits the reply. It returns nil if the reply was complete or the consumer
// has stopped.
func (c *Client) run(ctx context.Context, f format, req request, r *reply) error {
	x, err := c.at.Post(ctx, f.path(), req.Model, f.encode(req), nil)
	if err != nil {
		return err
	}
	defer x.Close()
	if err := r.receive(x, f.reader(r, req)); err != nil && r.finish == "" {
		return err
	}
	if r.quit {
		return nil
	}
	if r.finish == "" && r.done {
		r.endText(false)
		r.finish = r.impliedFinish()
	}
	switch {
	case r.finish == "" && !r.known && r.strange != "":
		failure := c.at.NewError(llm.NotAnAPI, r.model, "sent events of another API: "+r.strange)
		failure.Final = true
		return failure
	case r.finish == "":
		return r.truncated("the reply ended before it was complete", nil)
	case r.finish == string(openai.FinishReasonContentFilter) && !r.answered && len(r.calls.calls) == 0:
		return r.client.at.ProblemError(refusal.Problem{Message: "the content filter of the provider blocked the whole reply", Code: r.finish}, r.model)
	}
	r.complete()
	x.Drain()
	return nil
}

// reply is the state of a reply that is being received, in any format.
type reply struct {
	client *Client
	model  string
	yield  func(llm.Chunk, error) bool

	calls  callAssembler
	attach attacher
	tags   tagReader
	stray  strayCloser
	pairs  surrogates
	usage  *llm.Usage
	finish string
	// cited contains the sources that the answer cites, and the number of searches in the usage report.
	cited llm.ServerSearch
	// done is set once the server has sent the end of the stream.
	done bool
	// begun is set once a part of the reply has been emitted.
	begun bool
	// answered is set once a part of the answer has been emitted.
	answered bool
	// quit is set once the consumer has stopped.
	quit bool
	// soFar contains an example of every kind of content that has arrived in a chat completion.
	soFar chatDelta
	// known is set once an event of this API has arrived.
	known bool
	// strange is the first event that is not of this API.
	strange string
	// size is the size of the reply in bytes.
	size int
}

// receive reads events until the stream ends or the consumer stops. It emits a heartbeat for an event
// that adds nothing to the reply.
func (r *reply) receive(x *endpoint.Exchange, read func(data []byte) error) error {
	hurried, size := false, 0
	for event, err := range x.Events() {
		if err != nil {
			return err
		}
		if event.Data == nil {
			r.emit(llm.Heartbeat{})
		} else if err := r.take(event, read); err != nil {
			return err
		}
		if r.quit || r.done {
			return nil
		}
		// Gemini may send a finish reason in every event.
		if r.finish != "" && (!hurried || r.size > size) {
			hurried, size = true, r.size
			x.SetTimeout(usageGrace)
		}
	}
	return nil
}

// take processes one event: the end of the stream, an error, or a part of the reply.
func (r *reply) take(event sse.Event, read func(data []byte) error) error {
	if strings.EqualFold(string(event.Data), "[DONE]") {
		r.done = true
		return nil
	}
	if p, bad := refusal.ParseEvent(event.Data, event.Name); bad {
		failure := r.client.at.ProblemError(p, r.model)
		failure.Costly = failure.Costly || r.begun
		return failure
	}
	r.emit(llm.Heartbeat{})
	event.Data = r.pairs.joinHalves(event.Data)
	if !json.Valid(event.Data) {
		if bytes.IndexByte([]byte("{[\""), event.Data[0]) < 0 {
			return nil // a word such as "ping" counts as a heartbeat
		}
		return r.malformed("sent an event that is not valid JSON: " + refusal.Line(string(event.Data)))
	}
	if err := read(event.Data); err != nil {
		return err
	}
	if !r.known && r.strange == "" {
		r.strange = refusal.Line(string(event.Data))
	}
	r.done = r.done || r.calls.full
	switch {
	case r.size > maxReply:
		return r.malformed(fmt.Sprintf("sent more than %d MiB in one reply", maxReply>>20))
	case len(r.attach.details) > maxParts:
		return r.malformed(fmt.Sprintf("sent more than %d pieces of reasoning in one reply", maxParts))
	}
	return nil
}

// impliedFinish returns the finish reason of a reply that ended without one, or "" if the reply is
// incomplete.
func (r *reply) impliedFinish() string {
	switch {
	case r.calls.complete():
		return string(openai.FinishReasonToolCalls)
	case len(r.calls.calls) == 0 && r.begun:
		return string(openai.FinishReasonStop)
	default:
		return ""
	}
}

func (r *reply) addCall(f callFragment) {
	r.size += len(f.ID) + len(f.name()) + len(f.arguments()) + len(f.ExtraContent)
	for _, started := range r.calls.add(f) {
		r.emit(started)
	}
	if f.name()+f.arguments() != "" {
		r.emit(llm.Heartbeat{Token: true})
	}
}

// complete emits the parts that are known only at the end of the reply.
func (r *reply) complete() {
	for _, started := range r.calls.announce(func(*partialCall) bool { return true }) {
		r.emit(started)
	}
	if len(r.cited.Sources) > 0 || r.cited.Times > 0 {
		r.emit(r.cited)
	}
	if attached := r.attach.thought(); attached != nil {
		r.emit(llm.ReasoningAttachment{Attached: attached})
	}
	for i, partial := range r.calls.calls {
		call := llm.ToolCall{ID: partial.id, Name: partial.name, Arguments: partial.finalArguments(), Attached: r.attach.call(partial.extra)}
		last := i == len(r.calls.calls)-1
		call.Cut = last && r.finish == string(openai.FinishReasonLength) && !json.Valid([]byte(call.Arguments))
		r.emit(call)
	}
	if r.usage != nil {
		r.emit(*r.usage)
	}
	r.emit(llm.Finish{Reason: r.finish})
}

// emit yields a chunk, unless the consumer has stopped.
func (r *reply) emit(chunk llm.Chunk) {
	if r.quit {
		return
	}
	switch chunk := chunk.(type) {
	case llm.Text:
		r.size += len(chunk.Delta)
		r.answered = r.answered || strings.TrimSpace(chunk.Delta) != ""
	case llm.Reasoning:
		r.size += len(chunk.Delta)
	}
	if _, pulse := chunk.(llm.Heartbeat); !pulse {
		r.begun = true
	}
	r.quit = !r.yield(chunk, nil)
}

// malformed returns the error for a faulty reply that another attempt would not fix.
func (r *reply) malformed(text string) *llm.Error { return r.client.at.MalformedError(r.model, text) }

func (r *reply) truncated(text string, cause error) *llm.Error {
	failure := r.client.at.NewError(llm.Truncated, r.model, text)
	failure.Err, failure.Costly = cause, r.begun || r.known || r.done
	return failure
}
