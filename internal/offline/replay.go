package offline

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"agent/internal/chat"
	"agent/internal/compression/cacheaware"
	"agent/internal/history"
	"agent/internal/offline/judge"
	"agent/internal/settings"
)

// Options selects the extra work of a replay.
type Options struct {
	// Optimum makes the replay also search for the least possible cost of the recording. The
	// search takes long.
	Optimum bool
}

// Replay runs a recording under every variant. Fresh returns an engine with its own copy of the
// user's settings, which a variant may change.
func Replay(ctx context.Context, in Input, o Options, fresh func() (*Engine, error)) (*Report, error) {
	r, err := newRecording(in, fresh)
	if err != nil {
		return nil, fmt.Errorf("replaying %s: %w", in.Name, err)
	}
	variants, models := Variants(), PriceModels()
	runs := make([][]*run, len(variants))
	all, running := errgroup.WithContext(ctx)
	all.SetLimit(runtime.GOMAXPROCS(0))
	for i, v := range variants {
		runs[i] = make([]*run, len(models))
		for j, m := range models {
			if j > 0 && (!v.priced() || models[j-1].Price == m.Price) {
				continue // as with the model before
			}
			runs[i][j] = &run{recording: r, variant: v, model: m}
			all.Go(func() error {
				if err := runs[i][j].all(running); err != nil {
					return fmt.Errorf("replaying %s with %s: %w", in.Name, v.Name, err)
				}
				return nil
			})
		}
	}
	if err := all.Wait(); err != nil {
		return nil, err
	}
	report := &Report{File: in.Name, Entries: r.entries}
	for i, v := range variants {
		report.Variants = append(report.Variants, accountOf(v, models, runs[i], runs[0]))
	}
	if o.Optimum {
		report.Optimum, err = r.optimum(ctx, models)
	}
	return report, err
}

// recording is a recording prepared for many replays.
type recording struct {
	Input
	fresh     func() (*Engine, error)
	stretches []stretch
	entries   int
	// size is a window in which the largest request of the recording fits well, in tokens.
	size int
	head int
	// cache describes the cache of the provider that gets the requests.
	cache cacheaware.Cache
}

// usualLife is how long the provider in a replay keeps a cached prefix, if cache-life is not set.
const usualLife = 5 * time.Minute

// A stretch holds the entries between two clears.
type stretch struct {
	entries []*history.Content
	clock   clock
	needs   *judge.Recording
}

func newRecording(in Input, fresh func() (*Engine, error)) (*recording, error) {
	engine, err := fresh()
	if err != nil {
		return nil, err
	}
	if err := engine.configure(&in); err != nil {
		return nil, err
	}
	r := &recording{Input: in, fresh: fresh, cache: chat.CacheOf(engine.Settings, usualLife)}
	w := engine.newWindow(in, view{head: engine.head()})
	counter := engine.Counter(settings.Model.Of(engine.Settings))
	options := cacheaware.Options{Tools: w.Facts, Root: in.WorkspaceRoot, Counter: func() history.Counter { return counter }}
	r.head = w.Tokens()
	all, err := in.Said()
	if err != nil {
		return nil, err
	}
	largest := 0
	for _, said := range all.Stretches {
		r.entries += len(said)
		entries := history.Repair(said, "no answer was recorded")
		for _, entry := range entries {
			entry.CountTokens(counter) // once for all variants
		}
		r.stretches = append(r.stretches, stretch{entries, newClock(entries, all.At), judge.New(entries, options)})
		sum := 0
		for _, entry := range entries {
			sum += w.History.CountContent(entry)
		}
		largest = max(largest, sum)
	}
	r.size = max(w.Size(), 2*(r.head+largest))
	return r, nil
}

// ErrTooLong means that a recording has too many requests for the search of the optimum.
var ErrTooLong = errors.New("the optimum takes too long to find")

// optimum finds the least possible cost of a recording of one stretch, for each price model.
func (r *recording) optimum(ctx context.Context, models []PriceModel) ([]Optimum, error) {
	if len(r.stretches) != 1 || len(r.stretches[0].needs.Replies) > judge.MaxOptimum {
		return nil, fmt.Errorf("%w of %s: it needs one stretch of at most %d requests", ErrTooLong, r.Name, judge.MaxOptimum)
	}
	s := r.stretches[0]
	found := make([]Optimum, len(models))
	all, ctx := errgroup.WithContext(ctx)
	all.SetLimit(runtime.GOMAXPROCS(0))
	for i, m := range models {
		found[i].Model = m.Name
		if i > 0 && models[i-1].Price == m.Price {
			continue
		}
		for words, least := range map[bool]*float64{false: &found[i].Quotes, true: &found[i].Words} {
			all.Go(func() error {
				if ctx.Err() == nil {
					*least = s.needs.Optimum(words, judge.Requests{Price: m.Price, Head: r.head, Cold: s.clock.gaps(r.cache)})
				}
				return ctx.Err()
			})
		}
	}
	err := all.Wait()
	return slices.DeleteFunc(found, func(o Optimum) bool { return o.Words == 0 }), err
}
