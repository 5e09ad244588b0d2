package login

import (
	"context"
	"sync/atomic"

	"agent/internal/llm"
)

// shared is a Source for concurrent callers. It gets only one new token at a time.
type shared struct {
	// asking is a lock, held while present and ask are called.
	asking chan struct{}
	// present returns the present token if it may still be used. refused is the secret of a refused
	// token.
	present func(refused llm.Key) (Token, bool)
	// ask gets another token.
	ask func(refused llm.Key) (Token, error)
	// asked counts the completed calls of ask. failure is the error of the latest one, or nil.
	asked   atomic.Int64
	failure error
}

func (s *shared) begin(present func(llm.Key) (Token, bool), ask func(llm.Key) (Token, error)) {
	s.asking, s.present, s.ask = make(chan struct{}, 1), present, ask
}

// Token implements Source. A command continues even if ctx ends, for the next caller. If a command
// failed, the callers that waited for it do not start another one. A request that no user waits for
// does not start one either.
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
	if llm.IsWithoutUser(ctx) {
		<-s.asking
		return Token{}, tokenError("", "the token has expired, and there is no user who could log in again")
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
