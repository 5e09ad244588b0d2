package llm

import (
	"context"
	"errors"
	"iter"
	"strings"
	"sync"
)

// Lessons keeps from one run to the next what an endpoint has taught, in dialects of
// type D. Its methods are safe for concurrent use.
type Lessons[D any] interface {
	// Learned is what is known of a model at the endpoint.
	Learned(model string) D
	// Keep is called with a dialect that the endpoint has understood.
	Keep(model string, d D)
}

// Learn returns the dialect that a refusal teaches, in lower case, of a request in
// dialect d: d itself if it teaches nothing. The note says what the
// conversation loses by it, "" if nothing.
type Learn[D any] func(d D, req Request, refusal string) (wanted D, note string)

// mostLessons is how many refusals of one request are learned from: an endpoint that
// wants something else each time cannot be pleased.
const mostLessons = 5

// Adapt returns a provider that learns from a refusal that names what the endpoint
// wants otherwise: the request is sent again at once in the other dialect, and so are
// all later ones to the same model. A dialect is whatever speak, which returns the
// provider that asks in it, understands. Every lesson is learned once; a refusal that
// teaches nothing new is passed on. What the conversation loses by a lesson is in an
// Adapted chunk. With kept, what an endpoint has understood is known in the next run;
// nil forgets it with the provider.
func Adapt[D comparable](speak func(D) Provider, learn Learn[D], kept Lessons[D]) Provider {
	return &adapting[D]{speak: speak, learn: learn, kept: kept, learned: map[string]D{}}
}

type adapting[D comparable] struct {
	speak func(D) Provider
	learn Learn[D]
	kept  Lessons[D]

	mu sync.Mutex
	// learned is by model: a router has endpoints of many kinds behind it.
	learned map[string]D
}

// Stream implements Provider.
func (a *adapting[D]) Stream(ctx context.Context, req Request) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		for n := 0; ; n++ {
			note, taught := a.ask(ctx, a.dialect(req.Model), req, yield, n)
			if !taught || note != "" && !yield(Adapted{Note: note}, nil) {
				return
			}
		}
	}
}

// ask streams one reply in dialect d, after so many lessons. It reports whether the
// request was refused in a way that taught something, with the note of it; then nothing
// but pulses has been yielded.
func (a *adapting[D]) ask(ctx context.Context, d D, req Request, yield func(Chunk, error) bool, lessons int) (note string, taught bool) {
	begun := false
	for chunk, err := range a.speak(d).Stream(ctx, req) {
		if err != nil && !begun && ctx.Err() == nil && lessons < mostLessons {
			if note, taught := a.teaches(d, req, err); taught {
				return note, true
			}
		}
		if _, pulse := chunk.(Pulse); !pulse {
			if err == nil && !begun && lessons > 0 && a.kept != nil {
				a.kept.Keep(req.Model, d)
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
func (a *adapting[D]) teaches(d D, req Request, err error) (note string, taught bool) {
	var failure *Error
	if !errors.As(err, &failure) || failure.Kind != BadRequest {
		return "", false
	}
	wanted, note := a.learn(d, req, strings.ToLower(failure.Message))
	if wanted == d {
		return "", false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.learned[req.Model] = wanted
	return note, true
}

// dialect is what is known of a model; what earlier runs have learned is looked up
// once.
func (a *adapting[D]) dialect(model string) D {
	a.mu.Lock()
	defer a.mu.Unlock()
	d, known := a.learned[model]
	if !known && a.kept != nil {
		d = a.kept.Learned(model)
		a.learned[model] = d
	}
	return d
}
