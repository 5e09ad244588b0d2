package llm

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"
)

// Watch wraps p so that it cancels a request whose server is silent for longer than the request's
// Patience. The *Error is of kind Unavailable and about subject. Watch removes the pulses.
func Watch(p Provider, subject string) Provider { return &watching{p, subject} }

type watching struct {
	provider Provider
	subject  string
}

// hintSilence is the hint for a silent server.
const hintSilence = "try again later, or raise request-timeout or idle-timeout if the model needs longer"

// stallError is the cause of cancelling a request whose server was silent.
type stallError struct{ after time.Duration }

func (e *stallError) Error() string { return fmt.Sprintf("sent nothing for %s", e.after) }

// Stream implements Provider.
func (w *watching) Stream(parent context.Context, req Request) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		ctx, cancel := context.WithCancelCause(parent)
		defer cancel(nil)
		clock := &stallClock{cancel: cancel, patience: req.patience()}
		clock.start(true)
		defer func() { clock.timer.Stop() }()
		for chunk, err := range w.provider.Stream(ctx, req) {
			var stalled *stallError
			if err != nil && parent.Err() == nil && errors.As(context.Cause(ctx), &stalled) {
				where := About(w.subject, req.Model)
				err = &Error{Kind: Unavailable, Where: where, Message: stalled.Error(), Hint: hintSilence, Costly: true, Err: stalled}
			}
			clock.timer.Stop() // the consumer may take any time
			pulse, isPulse := chunk.(Pulse)
			if !isPulse && !yield(chunk, err) {
				return
			}
			part := !isPulse || pulse.Token
			clock.begun = clock.begun || part
			clock.start(part)
		}
	}
}

// stallClock cancels a request whose server is silent for too long: without a part of the reply or,
// after the reply has begun, without a sign of life.
type stallClock struct {
	cancel   context.CancelCauseFunc
	patience Patience
	timer    *time.Timer
	begun    bool
	// due is the time by which the next part of the reply must arrive. Keep-alives do not move it.
	due time.Time
}

// start starts the clock again. part reports whether a part of the reply arrived.
func (c *stallClock) start(part bool) {
	if part {
		c.due = time.Now().Add(c.patience.First)
	}
	silent, left := c.patience.First, time.Until(c.due)
	if c.begun && c.patience.Idle < left {
		silent, left = c.patience.Idle, c.patience.Idle
	}
	c.timer = time.AfterFunc(left, func() { c.cancel(&stallError{silent}) })
}
