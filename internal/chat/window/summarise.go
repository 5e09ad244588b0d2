package window

import (
	"context"
	"fmt"

	"agent/internal/compression"
)

// Urgency is under what circumstances a summary is asked for.
type Urgency struct {
	// Hard: the request is over the hard limit, so that a summary is worth only a short
	// wait. Refused: the endpoint has just refused a request of this size (S-12).
	Hard, Refused bool
	// Manual: the person asks for it.
	Manual bool
}

// Room is how many tokens by our own count a request without a head may take.
func (m *measure) Room() int { return m.estimated(m.Size() - m.reserve()) }

// summarise lets a strategy that asks a model work, beside the owner. The strategy
// works on immutable values only.
func (w *Window) summarise(ctx context.Context, strategy compression.Strategy, given compression.Context, urgency Urgency) (result compression.Result, err error) {
	if w.Summarizer == nil {
		return strategy.Compress(ctx, given)
	}
	connect := w.Summarizer(urgency)
	w.Beside(func() {
		defer func() {
			if p := recover(); p != nil {
				err = fmt.Errorf("internal error while summarising: %v", p)
			}
		}()
		connected := connect.within(ctx)
		if connected.err != nil {
			err = connected.err
			return
		}
		defer connected.release()
		given.Summarizer = connected.model
		result, err = strategy.Compress(ctx, given)
	})
	return result, err
}

// connected is what came of connecting to a model.
type connected struct {
	model   *compression.Summarizer
	release func()
	err     error
}

// within connects until ctx ends. Looking for the model of a profile may wait for its
// endpoint; nobody that has had enough waits for that, and what comes of it later is let
// go of.
func (c Connect) within(ctx context.Context) connected {
	done := make(chan connected, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				done <- connected{err: fmt.Errorf("internal error while summarising: %v", p)}
			}
		}()
		model, release, err := c()
		done <- connected{model, release, err}
	}()
	select {
	case made := <-done:
		return made
	case <-ctx.Done():
		go func() {
			if late := <-done; late.err == nil {
				late.release()
			}
		}()
		return connected{err: context.Cause(ctx)}
	}
}

// patienceAfterVain is how many entries must be added before a model is asked again
// without a request to do so, after it was asked in vain.
const patienceAfterVain = 20

// vain is the latest time that a strategy asked a model for nothing: at the hard
// limit without an answer, or with a summary that frees nothing.
type vain struct {
	strategy string
	at       uint64
}

// askedInVain reports whether the strategy would only ask again what it asked for
// nothing a moment ago.
func (w *Window) askedInVain(strategy compression.Strategy) bool {
	return w.vain.strategy == strategy.Name() && w.History.Generation() < w.vain.at+patienceAfterVain
}

// noteVain remembers that the strategy asked for nothing.
func (w *Window) noteVain(strategy compression.Strategy) {
	w.vain = vain{strategy.Name(), w.History.Generation()}
}
