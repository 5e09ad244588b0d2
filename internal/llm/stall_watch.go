package llm

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"
)

// WatchStalls wraps p so that it cancels a request whose server is silent for longer than the request's
// Patience. The *Error is of kind Unavailable and names subject. Watch removes the heartbeats.
func WatchStalls(p Provider, subject string) Provider { return &watching{p, subject} }

type watching struct {
	provider Provider
	subject  string
}

// hintSilence is the hint for a silent server.
const hintSilence = "try again later, or raise request-timeout or idle-timeout if the model needs more time"

// stallError is the cause for canceling a request whose server was silent. If alive is set, the server
// sent only keep-alives.
type stallError struct {
	after time.Duration
	alive bool
}

func (e *stallError) Error() string {
	if e.alive {
		return fmt.Sprintf("sent only keep-alives for %s", e.after)
	}
	return fmt.Sprintf("sent nothing for %s", e.after)
}

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
			clock.timer.Stop() // the time that the consumer needs does not count
			pulse, isPulse := chunk.(Heartbeat)
			if !isPulse && !yield(chunk, err) {
				return
			}
			part := !isPulse || pulse.Token
			clock.begun = clock.begun || part
			clock.start(part)
		}
	}
}

// stallClock cancels a request whose server is silent for too long, or sends only keep-alives.
type stallClock struct {
	cancel   context.CancelCauseFunc
	patience Patience
	timer    *time.Timer
	begun    bool
	// due is the time by which the next part of the reply must arrive. Keep-alives do not extend it.
	due time.Time
}

// start starts the clock again. part reports whether a part of the reply arrived.
func (c *stallClock) start(part bool) {
	alive := aliveFactor * c.patience.First
	if part {
		c.due = time.Now().Add(alive)
	}
	silent := c.patience.First
	if c.begun {
		silent = min(silent, c.patience.Idle)
	}
	stalled := &stallError{after: silent}
	if left := time.Until(c.due); left < silent {
		silent, stalled = left, &stallError{after: alive, alive: true}
	}
	c.timer = time.AfterFunc(silent, func() { c.cancel(stalled) })
}

// aliveFactor is how many times longer WatchStalls waits if the server sends keep-alives, because its model
// may be reasoning.
const aliveFactor = 2
