package llm

import (
	"context"
	"errors"
	"iter"
	"strings"
	"sync"
)

// DialectStore stores the dialects learned from the models of an endpoint, for later runs. Its methods must
// be safe for concurrent use.
type DialectStore[D any] interface {
	// Learned returns the dialect that was stored for a model at the endpoint, or the zero D.
	Learned(model string) D
	// Keep is called with a dialect that the endpoint has accepted.
	Keep(model string, d D)
}

// LearnDialect returns the dialect to use after a request in dialect d was refused. It returns d itself if the
// refusal teaches nothing. The text of the refusal is in lower case. note describes the loss by the new
// dialect to a user, or is "".
type LearnDialect[D any] func(d D, req Request, refusal string) (wanted D, note string)

// mostLessons limits the refusals of one request from which Adapt learns. It ends the attempts with an
// endpoint that refuses every dialect.
const mostLessons = 5

// Adapt returns a provider that learns from refusals. If a refusal contains how the endpoint wants
// requests, the provider sends the request again at once in the new dialect. It uses that dialect for
// all later requests to the same model. It returns a refusal from which it learns nothing new. An
// Adapted chunk contains the note of a lesson.
// note of a lesson.
//
// speak returns the provider that sends requests in a dialect. kept stores the dialects that the
// endpoint has accepted for the next run. It may be nil.
func Adapt[D comparable](speak func(D) Provider, learn LearnDialect[D], kept DialectStore[D]) Provider {
	return &adapting[D]{speak: speak, learn: learn, kept: kept, learned: map[string]D{}}
}

type adapting[D comparable] struct {
	speak func(D) Provider
	learn LearnDialect[D]
	kept  DialectStore[D]

	mu sync.Mutex
	// learned holds the dialects by model, because a router serves models of many endpoints.
	learned map[string]D
}

// Stream implements Provider.
func (a *adapting[D]) Stream(ctx context.Context, req Request) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		for n := 0; ; n++ {
			note, taught := a.ask(ctx, a.dialect(req.Model), req, yield, n)
			if !taught || note != "" && !yield(AdaptedRequest{Note: note}, nil) {
				return
			}
		}
	}
}

// ask streams one reply in dialect d. lessons is the number of lessons from this request so far. ask
// reports whether a refusal taught another lesson, with its note. In that case it has yielded only
// heartbeats.
func (a *adapting[D]) ask(ctx context.Context, d D, req Request, yield func(Chunk, error) bool, lessons int) (note string, taught bool) {
	begun := false
	for chunk, err := range a.speak(d).Stream(ctx, req) {
		if err != nil && !begun && ctx.Err() == nil && lessons < mostLessons && !IsWithoutUser(ctx) {
			if note, taught := a.teaches(d, req, err); taught {
				return note, true
			}
		}
		if _, pulse := chunk.(Heartbeat); !pulse {
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

// teaches learns from a refusal. It reports whether the refusal requires another dialect than d.
// Another request may meanwhile have learned the same dialect.
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

// dialect returns the dialect of a model. It reads the dialects of earlier runs once.
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
