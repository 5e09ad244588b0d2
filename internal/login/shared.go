package login

import (
	"context"
	"sync/atomic"

	"agent/internal/llm"
)

// shared is a Source that is asked by many, and asks for a token only once at a time.
type shared struct {
	// asking is a lock for present and ask.
	asking chan struct{}
	// present returns the token that is there, if it may be used after refused.
	present func(refused llm.Key) (Token, bool)
	// ask gets another token.
	ask func(refused llm.Key) (Token, error)
	// asked counts the questions that have ended, and failure is how the latest one failed, nil if it
	// did not.
	asked   atomic.Int64
	failure error
}

// begin makes s ready.
func (s *shared) begin(present func(llm.Key) (Token, bool), ask func(llm.Key) (Token, error)) {
	s.asking, s.present, s.ask = make(chan struct{}, 1), present, ask
}

// Token implements Source. A command continues even if ctx ends, for the next caller. A caller that
// waited for a command that failed does not start another, nor does a request that nobody asked for.
func (s *shared) Token(ctx context.Context, refused llm.Key) (Token, error) {
	asked := s.asked.Load()
	type result struct {
		token Token
		err   error
	}
	select {
	case s.asking <- struct{}{}:
	case <-ctx.Done():
		return Token{}, ctx.Err()
	}
	if token, there := s.present(refused); there {
		<-s.asking
		return token, nil
	}
	if s.asked.Load() != asked && s.failure != nil {
		defer func() { <-s.asking }()
		return Token{}, s.failure
	}
	if llm.IsUnasked(ctx) {
		<-s.asking
		return Token{}, tokenError("", "the token has ended, and no user waits for this request")
	}
	done := make(chan result, 1)
	go func() {
		defer func() { <-s.asking }()
		token, err := s.ask(refused)
		s.failure = err
		s.asked.Add(1)
		done <- result{token, err}
	}()
	select {
	case r := <-done:
		return r.token, r.err
	case <-ctx.Done():
		return Token{}, ctx.Err()
	}
}
