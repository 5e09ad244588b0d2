package llm

import (
	"context"
	"errors"
	"iter"
	"strings"
	"sync"
)

// Dialect is how an endpoint wants to be asked, where that differs from the
// default. The zero value is the default.
type Dialect struct {
	// OmitUsage leaves stream_options out: then there are no usage numbers, which
	// is better than no reply.
	OmitUsage bool
}

// Adapt wraps p so that a refusal that names what the endpoint wants otherwise is
// learned from: the request goes out again at once in the other dialect, and so do
// all later ones. Every lesson is learned once; a refusal that teaches nothing new
// is passed on.
func Adapt(p Provider) Provider { return &adapting{provider: p} }

type adapting struct {
	provider Provider

	mu      sync.Mutex
	learned Dialect
}

// lesson is a refusal and the dialect it teaches.
type lesson struct {
	// names is a word of the refusal.
	names string
	learn func(*Dialect)
}

var lessons = []lesson{
	{"stream_options", func(d *Dialect) { d.OmitUsage = true }},
}

// Stream implements Provider.
func (a *adapting) Stream(ctx context.Context, req Request) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		for {
			req.Dialect = a.dialect()
			if !a.ask(ctx, req, yield) {
				return
			}
		}
	}
}

// ask streams one reply. It reports whether the request was refused in a way that
// taught something; then nothing but pulses has been yielded.
func (a *adapting) ask(ctx context.Context, req Request, yield func(Chunk, error) bool) (taught bool) {
	for chunk, err := range a.provider.Stream(ctx, req) {
		if err != nil && ctx.Err() == nil && a.teaches(req.Dialect, err) {
			return true
		}
		if !yield(chunk, err) {
			return false
		}
	}
	return false
}

// teaches learns from a refusal. Another request may have learned the same in the
// meantime: what counts is whether it is news to the dialect that was used.
func (a *adapting) teaches(used Dialect, err error) bool {
	var failure *Error
	if !errors.As(err, &failure) || failure.Kind != BadRequest {
		return false
	}
	for _, l := range lessons {
		if !strings.Contains(failure.Message, l.names) {
			continue
		}
		if wanted := used; l.apply(&wanted) {
			a.mu.Lock()
			defer a.mu.Unlock()
			l.apply(&a.learned)
			return true
		}
	}
	return false
}

// apply changes a dialect and reports whether that made a difference.
func (l lesson) apply(d *Dialect) bool {
	before := *d
	l.learn(d)
	return *d != before
}

func (a *adapting) dialect() Dialect {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.learned
}
