package window

import (
	"context"
	"errors"

	"agent/internal/compression"
	"agent/internal/history"
)

// EnforceLimit is the hard limit (D-08): what is sent plus what is reserved for the
// reply must fit. The ladder of D-30 sees to it or says why not, with a
// *compression.ContextOverflowError.
func (w *Window) EnforceLimit(ctx context.Context, strategy compression.Strategy) error {
	reserve, err := w.Reserve()
	if err != nil {
		return err
	}
	if w.Tokens()+reserve <= w.Size() {
		return nil
	}
	return w.reduce(ctx, strategy, reserve)
}

// Shrink answers a provider that finds the request too long although it fits by our
// count: the window is smaller than we believed. What was refused, or the size the
// provider named if it did (else 0), is the upper bound from now on (S-12).
func (w *Window) Shrink(ctx context.Context, named int) error {
	strategy, err := w.Active()
	if err != nil {
		return err
	}
	refused := w.Tokens()
	bound := refused
	if named > 0 {
		bound = min(bound, named)
	}
	w.learn(bound)
	w.Tell(Refused{Tokens: refused, Limit: w.Size()})
	reserve, err := w.Reserve()
	if err != nil {
		return err
	}
	return w.reduce(ctx, strategy, reserve)
}

// reduce brings the request under the limit less reserve: density once more
// (REQ-HD-002.8), then the ladder, telling each rung.
func (w *Window) reduce(ctx context.Context, strategy compression.Strategy, reserve int) error {
	w.density.optimised = neverOptimised
	if err := w.EnsureDensityOptimized(strategy); err != nil {
		return err
	}
	if w.Tokens()+reserve <= w.Size() {
		return nil
	}
	before := w.Tokens()
	err := w.History.Rebuild("context limit", func(entries []*history.Content, tokens []int) ([]*history.Content, error) {
		result, err := compression.Reduce(ctx, compression.LadderInput{
			Context:  w.CompressionContext(strategy, entries, tokens),
			Reserve:  w.estimated(reserve) + 1,
			Strategy: strategy,
			Announce: w.tellRung,
		})
		return result.History, err
	})
	if err != nil {
		return w.inTheirTokens(err)
	}
	w.noteCompression(Compression{TokensBefore: before, TokensAfter: w.Tokens()})
	return nil
}

// inTheirTokens restates an overflow, which the ladder tells in our tokens, in those
// of the provider, which the settings mean.
func (w *Window) inTheirTokens(err error) error {
	var overflow *compression.ContextOverflowError
	if !errors.As(err, &overflow) {
		return err
	}
	reserve, _ := w.Reserve()
	return &compression.ContextOverflowError{
		Overhead: w.scaled(overflow.Overhead),
		Message:  w.scaled(overflow.Message),
		Reserve:  reserve,
		Limit:    w.Size(),
	}
}

func (w *Window) tellRung(rung compression.Rung) {
	w.Tell(Rung{rung.Name, w.scaled(rung.TokensBefore), w.scaled(rung.TokensAfter), rung.Err})
}
