package offline

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"golang.org/x/sync/errgroup"

	"agent/internal/chat"
	"agent/internal/compression"
	"agent/internal/history"
	"agent/internal/llm/vendor"
	"agent/internal/offline/judge"
	"agent/internal/settings"
)

// Replay runs a recording under each variant. The first variant is the reference. It sends everything,
// as the first of Strategies does. fresh returns an engine with its own copy of the user's settings,
// which a variant may change.
func Replay(ctx context.Context, in Input, variants []Variant, fresh func() (*Engine, error)) (*Report, error) {
	r, err := NewRecording(in, fresh)
	if err != nil {
		return nil, err
	}
	models := PriceModels()
	runs := make([][]*run, len(variants))
	all, running := errgroup.WithContext(ctx)
	all.SetLimit(runtime.GOMAXPROCS(0))
	for i, v := range variants {
		runs[i] = make([]*run, len(models))
		for j, m := range models {
			if j > 0 && (!v.priced() || models[j-1].Price == m.Price) {
				continue // the settings stay those of the previous model
			}
			runs[i][j] = &run{Recording: r, variant: v, model: m}
			all.Go(func() error {
				if err := runs[i][j].all(running); err != nil {
					return fmt.Errorf("can't replay %s with %s: %w", in.Name, v.Name, err)
				}
				return nil
			})
		}
	}
	if err := all.Wait(); err != nil {
		return nil, err
	}
	report := &Report{File: in.Name}
	for _, s := range r.Stretches {
		report.Entries += s.said
	}
	for i, v := range variants {
		report.Variants = append(report.Variants, accountOf(v, models, runs[i], runs[0]))
	}
	return report, nil
}

// A Recording is a recording prepared for many replays.
type Recording struct {
	Input
	Stretches []Span

	fresh func() (*Engine, error)
	// size is a context window in which the largest request of the recording fits easily, in tokens.
	size int
	// cache describes the cache of the provider.
	cache vendor.Cache
	// settings are the user's.
	settings *settings.Settings
}

// usualLife is how long the provider in a replay keeps a cached prefix if cache-life is not set.
const usualLife = 5 * time.Minute

// A Span contains the entries between two clears.
type Span struct {
	// Needs contains the needs of the replies in the span.
	Needs *judge.Recording

	entries []*history.Content
	// said is the number of entries as recorded, before they were repaired.
	said  int
	clock clock
}

// NewRecording reads the entries of a recording and determines the needs of its replies.
func NewRecording(in Input, fresh func() (*Engine, error)) (*Recording, error) {
	r, err := prepareRecording(in, fresh)
	if err != nil {
		return nil, fmt.Errorf("replaying %s: %w", in.Name, err)
	}
	return r, nil
}

func prepareRecording(in Input, fresh func() (*Engine, error)) (*Recording, error) {
	engine, err := fresh()
	if err != nil {
		return nil, err
	}
	if err := engine.configure(&in); err != nil {
		return nil, err
	}
	w := engine.newWindow(in, View{})
	r := &Recording{Input: in, fresh: fresh, cache: chat.CacheOf(engine.Settings, usualLife), settings: engine.Settings}
	counter := engine.Counter(settings.Model.Value(engine.Settings))
	options := engine.following(in, counter)
	if in.Steps != nil && settings.CacheLife.Value(engine.Settings) == 0 {
		// The usage reports in a log of this program show the lifetime of the cache.
		session := compression.NewEngine(options)
		for step, err := range in.Steps {
			if err != nil {
				return nil, err
			}
			session.Follow(step)
		}
		r.cache.Life = session.CorrectCache(r.cache).Life
	}
	all, err := in.Said()
	if err != nil {
		return nil, err
	}
	largest := 0
	for _, said := range all.Stretches {
		entries := history.Repair(said, "no answer is recorded")
		sum := 0
		for _, entry := range entries {
			entry.CountTokens(counter) // counts each entry once for all variants
			sum += w.History.CountContent(entry)
		}
		largest = max(largest, sum)
		clock := newClock(entries, all.At)
		s := Span{judge.New(entries, options), entries, len(said), clock}
		if in.Against == AsSent {
			s.entries = s.withoutNumbers()
			for _, entry := range s.entries {
				entry.CountTokens(counter)
			}
		}
		r.Stretches = append(r.Stretches, s)
	}
	r.size = max(w.Limits.Size(), 2*(w.Measure.Tokens()+largest))
	return r, nil
}
