package window

import (
	"context"
	"fmt"

	"agent/internal/compression"
	"agent/internal/history"
)

// Urgency describes the circumstances in which a summary is asked for.
type Urgency struct {
	// Hard is set if the request is over the hard limit, so that a summary is worth only a short
	// wait. Refused is set if the endpoint has just refused a request of this size (S-12).
	Hard, Refused bool
	// Manual is set if the user asks for the summary.
	Manual bool
}

// summaries lets strategies ask a model for summaries.
type summaries struct {
	history *history.Service
	// prepare connects to the model that writes summaries; nil if there is none. beside runs work
	// outside of the owner's goroutine.
	prepare func(Urgency) Connect
	beside  func(work func())
	vain    vain
}

// summarise runs a strategy that asks a model, off the owner's goroutine. The strategy works on
// immutable values only.
func (s *summaries) summarise(ctx context.Context, strategy compression.Strategy, given compression.Context, urgency Urgency) (result compression.Result, err error) {
	if s.prepare == nil {
		return strategy.Compress(ctx, given)
	}
	connect := s.prepare(urgency)
	s.beside(func() {
		defer func() {
			if p := recover(); p != nil {
				err = fmt.Errorf("internal error while summarizing: %v", p)
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

// connected is the outcome of connecting to a model.
type connected struct {
	model   *compression.Summarizer
	release func()
	err     error
}

// within connects to the model until ctx ends, because finding the model of a profile may have to
// wait for its endpoint. After the end of ctx within returns at once, and a connection made later
// is released.
func (c Connect) within(ctx context.Context) connected {
	done := make(chan connected, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				done <- connected{err: fmt.Errorf("internal error while summarizing: %v", p)}
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

// patienceAfterVain is the number of entries that must be added before a model that was asked in
// vain is asked again without a request of the user.
const patienceAfterVain = 20

// vain records when a strategy last asked a model in vain: it got no answer at the hard limit, or
// a summary that frees nothing.
type vain struct {
	strategy string
	at       uint64
}

// askedInVain reports whether the strategy asked in vain a moment ago, so that asking again would
// be of no use.
func (s *summaries) askedInVain(strategy compression.Strategy) bool {
	return s.vain.strategy == strategy.Name() && s.history.Generation() < s.vain.at+patienceAfterVain
}

// noteVain remembers that the strategy asked in vain.
func (s *summaries) noteVain(strategy compression.Strategy) {
	s.vain = vain{strategy.Name(), s.history.Generation()}
}
