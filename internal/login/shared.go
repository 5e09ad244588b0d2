package login

import (
	"context"

	"agent/internal/llm"
)

// shared is a Source that is asked by many, and asks for a token only once at a time.
type shared struct {
	// asking is held by whoever uses present and ask.
	asking chan struct{}
	// present returns the token that is there, if it may be used after refused.
	present func(refused llm.Key) (Token, bool)
	// ask gets another token.
	ask func(refused llm.Key) (Token, error)
}

// Token implements Source. A question goes on to its end even if ctx ends, for whoever asks next.
func (s *shared) Token(ctx context.Context, refused llm.Key) (Token, error) {
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
	done := make(chan result, 1)
	go func() {
		defer func() { <-s.asking }()
		token, err := s.ask(refused)
		done <- result{token, err}
	}()
	select {
	case r := <-done:
		return r.token, r.err
	case <-ctx.Done():
		return Token{}, ctx.Err()
	}
}
