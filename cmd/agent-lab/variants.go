package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strconv"

	"agent/internal/compression"
	"agent/internal/offline"
	"agent/internal/settings"

	"golang.org/x/sync/errgroup"
)

// variants returns the strategies, each with the density phases that are on by default, and a variant
// for each phase that is off by default.
func variants() []offline.Variant {
	all := offline.Strategies()
	at := slices.IndexFunc(all, func(v offline.Variant) bool { return v.Name == compression.DefaultName })
	dense, extra := &all[at], []offline.Variant{}
	for _, phase := range compression.Phases() {
		if !phase.Switch.Default {
			dense.Set = append(dense.Set, [2]string{settings.DensityKey(phase.Switch.Name), "false"})
			extra = append(extra, withPhase(phase))
		}
	}
	for i, v := range extra {
		extra[i].Set = slices.Concat(dense.Set, v.Set)
	}
	return slices.Insert(all, at+1, extra...)
}

// withPhase returns a variant that switches a phase on, with the default values of its numbers.
func withPhase(phase compression.Phase) offline.Variant {
	v := offline.Variant{
		Name: compression.DefaultName + ", " + phase.Name,
		Set:  [][2]string{{settings.DensityKey(phase.Switch.Name), "true"}},
	}
	for _, n := range phase.Numbers {
		v.Name += " " + strconv.Itoa(n.Default)
		v.Set = append(v.Set, [2]string{settings.DensityKey(n.Name), strconv.Itoa(n.Default)})
	}
	return v
}

// comparison holds the costs of a recording under all variants, and the least possible costs if the flag
// --optimum is set.
type comparison struct {
	*offline.Report
	Optimum []least `json:"optimum,omitempty"`
}

// least is the least possible cost of a recording under a price model, relative to sending everything. For
// Quotes, the context must contain the texts that edits quote when the edits are made. For Words, it must
// also contain the rare words that replies use.
type least struct {
	Model  string  `json:"model"`
	Quotes float64 `json:"quotes"`
	Words  float64 `json:"words"`
}

func compare(ctx context.Context, in offline.Input, optimum bool, fresh func() (*offline.Engine, error)) (*comparison, error) {
	report, err := offline.Replay(ctx, in, variants(), fresh)
	if err != nil || !optimum {
		return &comparison{Report: report}, err
	}
	r, err := offline.NewRecording(in, fresh)
	if err != nil {
		return nil, err
	}
	found, err := leastOf(ctx, r, offline.PriceModels())
	return &comparison{report, found}, err
}

// errTooLong means that a recording has too many requests for the search of the optimum.
var errTooLong = errors.New("the optimum takes too long to find")

// leastOf finds the least possible cost of a recording of one stretch, for each price model.
func leastOf(ctx context.Context, r *offline.Recording, models []offline.PriceModel) ([]least, error) {
	if len(r.Stretches) != 1 || len(r.Stretches[0].Needs.Replies) > maxOptimum {
		return nil, fmt.Errorf("%w of %s: it needs one stretch of at most %d requests", errTooLong, r.Name, maxOptimum)
	}
	s := r.Stretches[0]
	costs := make([]least, len(models))
	all, ctx := errgroup.WithContext(ctx)
	all.SetLimit(runtime.GOMAXPROCS(0))
	for i, m := range models {
		costs[i].Model = m.Name
		if i > 0 && models[i-1].Price == m.Price {
			continue
		}
		for words, cost := range map[bool]*float64{false: &costs[i].Quotes, true: &costs[i].Words} {
			all.Go(func() error {
				if ctx.Err() == nil {
					*cost = leastCost(s.Needs, words, requests{Price: m.Price, Head: r.Head, Cold: s.Cold})
				}
				return ctx.Err()
			})
		}
	}
	err := all.Wait()
	return slices.DeleteFunc(costs, func(l least) bool { return l.Words == 0 }), err
}

// printComparisons writes comparisons as tables.
func printComparisons(out io.Writer, all []*comparison) error {
	reports := make([]*offline.Report, len(all))
	for i, c := range all {
		reports[i] = c.Report
	}
	err := offline.Print(out, reports)
	for _, c := range all {
		for _, l := range c.Optimum {
			if err == nil {
				_, err = fmt.Fprintf(out, "%s: least possible, %s: %.3f with all that edits quote, %.3f with every rare word\n", c.File, l.Model, l.Quotes, l.Words)
			}
		}
	}
	return err
}
