package llm

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"
)

// Watch wraps p so that a request whose server has gone silent for longer than the
// request's Patience is given up, with an *Error of kind Unavailable whose message
// begins with subject. It takes the pulses out.
func Watch(p Provider, subject string) Provider { return &watching{p, subject} }

type watching struct {
	provider Provider
	subject  string
}

// hintSilence is what to do about a server that is silent.
const hintSilence = "try again later, or raise request-timeout or idle-timeout if the model needs longer"

// stallError is the cause of a request that was given up because its server was
// silent.
type stallError struct{ after time.Duration }

func (e *stallError) Error() string { return fmt.Sprintf("sent nothing for %s", e.after) }

// Stream implements Provider.
func (w *watching) Stream(parent context.Context, req Request) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		ctx, cancel := context.WithCancelCause(parent)
		defer cancel(nil)
		clocks := newStallClocks(cancel, req.patience())
		defer clocks.stop()
		for chunk, err := range w.provider.Stream(ctx, req) {
			var stalled *stallError
			if err != nil && parent.Err() == nil && errors.As(context.Cause(ctx), &stalled) {
				err = w.stalled(req, stalled)
			}
			clocks.stop()
			pulse, isPulse := chunk.(Pulse)
			if !isPulse && !yield(chunk, err) {
				return
			}
			clocks.saw(!isPulse || pulse.Token)
		}
	}
}

func (w *watching) stalled(req Request, cause *stallError) *Error {
	return &Error{Kind: Unavailable, Where: About(w.subject, req.Model), Message: cause.Error(), Hint: hintSilence, Costly: true, Err: cause}
}

// stallClocks end a request by whichever of two clocks runs out. The patient one
// measures the time since the latest part of the reply; the other the time since
// the latest sign of life, once the reply has begun.
type stallClocks struct {
	patience Patience
	part     *time.Timer
	life     *time.Timer
	begun    bool
	// due is when the patient clock runs out; a sign of life does not move it.
	due time.Time
}

func newStallClocks(cancel context.CancelCauseFunc, patience Patience) *stallClocks {
	c := &stallClocks{patience: patience, due: time.Now().Add(patience.First)}
	c.part = time.AfterFunc(patience.First, func() { cancel(&stallError{patience.First}) })
	c.life = time.AfterFunc(patience.Idle, func() { cancel(&stallError{patience.Idle}) })
	c.life.Stop()
	return c
}

// saw starts the clocks again after something came; part says that it was a part
// of the reply.
func (c *stallClocks) saw(part bool) {
	if part {
		c.begun = true
		c.due = time.Now().Add(c.patience.First)
	}
	c.part.Reset(time.Until(c.due))
	if c.begun {
		c.life.Reset(c.patience.Idle)
	}
}

// stop halts the clocks, for as long as the consumer works on what came.
func (c *stallClocks) stop() {
	c.part.Stop()
	c.life.Stop()
}
