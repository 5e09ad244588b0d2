package window

import (
	"context"
	"fmt"

	"agent/internal/compression"
	"agent/internal/history"
)

// Urgency describes the circumstances in which a summary is requested.
type Urgency struct {
	// Hard is set if the request is over the hard limit, so that the wait for a summary must be short.
	// Refused is set if the endpoint has just refused a request of this size (S-12).
	Hard, Refused bool
	// Manual is set if the user requested the summary.
	Manual bool
}

// summaries enables strategies to request summaries from a model.
type summaries struct {
	history *history.Service
	// prepare connects to the model that writes summaries. It is nil if there is none. beside runs work
	// off the owner's goroutine.
	prepare func(Urgency) OpenSummarizer
	beside  func(work func())
	vain    vain
}

// summarize runs a strategy that requests a summary from a model, off the owner's goroutine. The
// strategy uses only immutable values.
func (s *summaries) summarize(ctx context.Context, strategy compression.Strategy, given compression.Context, urgency Urgency) (result compression.Result, err error) {
	if s.prepare == nil {
		return strategy.Compress(ctx, given)
	}
	open := s.prepare(urgency)
	s.beside(func() {
		defer func() {
			if p := recover(); p != nil {
				err = fmt.Errorf("internal error while summarizing: %v", p)
			}
		}()
		connected := open.connect(ctx)
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

// connect connects to the model until ctx ends. To find the model of a profile, it may have to wait for
// the endpoint. When ctx ends, connect returns at once, and a connection made later is released.
func (c OpenSummarizer) connect(ctx context.Context) connected {
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

// patienceAfterVain is the number of entries that must be added after a failed summary before the model
// is asked again automatically.
const patienceAfterVain = 20

// vain records when a summary by a strategy last failed. Either the model gave no answer at the hard
// limit, or the summary freed nothing.
type vain struct {
	strategy string
	at       uint64
}

// askedInVain reports whether a summary by the strategy failed recently, so that another request would
// not help.
func (s *summaries) askedInVain(strategy compression.Strategy) bool {
	return s.vain.strategy == strategy.Name() && s.history.Generation() < s.vain.at+patienceAfterVain
}

// noteVain records that a summary by the strategy failed or freed nothing.
func (s *summaries) noteVain(strategy compression.Strategy) {
	s.vain = vain{strategy.Name(), s.history.Generation()}
}
