package window

import (
	"context"
	"fmt"

	"agent/internal/compression"
	"agent/internal/history"
)

// ShouldCompress reports whether the next request reaches the threshold (D-07).
func (w *Window) ShouldCompress(strategy compression.Strategy) bool {
	return float64(w.Tokens()) >= w.threshold(strategy)*float64(w.Size())
}

// threshold resolves REQ-HD-001.10: what the user set, else the strategy's own.
func (w *Window) threshold(strategy compression.Strategy) float64 {
	if set := w.Settings().Threshold; set > 0 {
		return set
	}
	return strategy.Trigger().DefaultThreshold
}

// Trigger is the size at which compression starts, in tokens.
func (w *Window) Trigger(strategy compression.Strategy) int {
	return int(w.threshold(strategy) * float64(w.Size()))
}

// PerformCompression lets the strategy rebuild the history and tells the outcome.
// Entries that arrive meanwhile are kept by the history service.
func (w *Window) PerformCompression(ctx context.Context, strategy compression.Strategy) error {
	result, err := w.Compress(ctx, strategy)
	if err != nil {
		return fmt.Errorf("compression by %s failed, nothing was sent; your message is kept, /retry sends it again: %w", strategy.Name(), err)
	}
	// A no-op over the threshold would repeat before every request; it is told
	// once for as long as it has the same reason.
	if !result.Applied && result.Reason == w.noopReason {
		return nil
	}
	w.noopReason = result.Reason
	w.Tell(result)
	return nil
}

// Compress runs the strategy now, whatever the threshold, and tells nobody but the
// caller.
func (w *Window) Compress(ctx context.Context, strategy compression.Strategy) (Compression, error) {
	told := Compression{Strategy: strategy.Name(), TokensBefore: w.Tokens(), Limit: w.Size()}
	var result compression.Result
	err := w.History.Rebuild(strategy.Name(), func(entries []*history.Content, tokens []int) (_ []*history.Content, err error) {
		if result, err = strategy.Compress(ctx, w.CompressionContext(strategy, entries, tokens)); err != nil || !result.Applied {
			return nil, err
		}
		return result.NewHistory, nil
	})
	told.Applied, told.Reason, told.TokensAfter = result.Applied, result.Reason, w.Tokens()
	if err == nil && told.Applied {
		w.noteCompression(told)
	}
	return told, err
}

// Compressions counts how often the history was rebuilt.
func (w *Window) Compressions() int { return w.compressions }

func (w *Window) noteCompression(done Compression) {
	w.compressions++
	w.ledger.freed += max(0, done.TokensBefore-done.TokensAfter)
}

// CompressionContext hands a strategy the curated history with its counts. Counts
// are estimates of our tokenizer, so the limit is given in the same measure (D-09).
func (w *Window) CompressionContext(strategy compression.Strategy, entries []*history.Content, tokens []int) compression.Context {
	return compression.Context{
		History:           entries,
		Tokens:            tokens,
		Count:             w.History.CountContent,
		Overhead:          w.overhead(),
		ContextLimit:      w.estimated(w.Size()),
		Threshold:         w.threshold(strategy),
		PreserveThreshold: w.Settings().PreserveThreshold,
		Facts:             w.Facts,
	}
}
