package llm

import (
	"context"
	"errors"
	"iter"
	"strings"
	"sync"
)

// Lessons keeps from one run to the next what an endpoint has taught. Its methods are
// safe for concurrent use.
type Lessons interface {
	// Learned is what is known of a model at the endpoint.
	Learned(model string) Dialect
	// Keep is called with a dialect that the endpoint has understood.
	Keep(model string, d Dialect)
}

// mostLessons is how many refusals of one request are learned from: an endpoint that
// wants something else each time cannot be pleased.
const mostLessons = 5

// Adapt wraps p so that a refusal that names what the endpoint wants otherwise is
// learned from: the request goes out again at once in the other dialect, and so do
// all later ones to the same model. Every lesson is learned once; a refusal that
// teaches nothing new is passed on. What the conversation loses by a lesson is told by
// an Adapted chunk. With kept, what an endpoint has understood is known in the next
// run; nil forgets it with p.
func Adapt(p Provider, kept Lessons) Provider {
	return &adapting{provider: p, kept: kept, learned: map[string]Dialect{}}
}

type adapting struct {
	provider Provider
	kept     Lessons

	mu sync.Mutex
	// learned is by model: a router has endpoints of many kinds behind it.
	learned map[string]Dialect
}

// Stream implements Provider.
func (a *adapting) Stream(ctx context.Context, req Request) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		for n := 0; ; n++ {
			note, taught := a.ask(ctx, a.dialect(req.Model).fit(req), yield, n)
			if !taught || note != "" && !yield(Adapted{Note: note}, nil) {
				return
			}
		}
	}
}

// ask streams one reply, after so many lessons. It reports whether the request was
// refused in a way that taught something, and what to tell of it; then nothing but
// pulses has been yielded.
func (a *adapting) ask(ctx context.Context, req Request, yield func(Chunk, error) bool, lessons int) (note string, taught bool) {
	begun := false
	for chunk, err := range a.provider.Stream(ctx, req) {
		if err != nil && !begun && ctx.Err() == nil && lessons < mostLessons {
			if note, taught := a.teaches(req, err); taught {
				return note, true
			}
		}
		if _, pulse := chunk.(Pulse); !pulse {
			if err == nil && !begun && lessons > 0 && a.kept != nil {
				a.kept.Keep(req.Model, req.Dialect.lasting())
			}
			begun = true
		}
		if !yield(chunk, err) {
			return "", false
		}
	}
	return "", false
}

// teaches learns from a refusal. Another request may have learned the same in the
// meantime: what counts is whether it is news to the dialect that was used.
func (a *adapting) teaches(req Request, err error) (note string, taught bool) {
	var failure *Error
	if !errors.As(err, &failure) || failure.Kind != BadRequest {
		return "", false
	}
	refusal := strings.ToLower(failure.Message)
	for _, l := range lessons {
		if !l.words.MatchString(refusal) {
			continue
		}
		wanted := req.Dialect
		if l.learn(&wanted, refusal, req); wanted == req.Dialect {
			continue
		}
		a.mu.Lock()
		defer a.mu.Unlock()
		a.learned[req.Model] = wanted
		if !wanted.forgetsMore(req.Dialect) {
			return "", true
		}
		return l.note, true
	}
	return "", false
}

// dialect is what is known of a model; what earlier runs have learned is looked up
// once.
func (a *adapting) dialect(model string) Dialect {
	a.mu.Lock()
	defer a.mu.Unlock()
	d, known := a.learned[model]
	if !known && a.kept != nil {
		d = a.kept.Learned(model)
		a.learned[model] = d
	}
	return d
}
