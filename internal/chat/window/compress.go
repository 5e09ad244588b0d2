package window

import (
	"context"
	"fmt"

	"agent/internal/compression"
	"agent/internal/history"
	"agent/internal/settings"
)

// ShouldCompress reports whether the next request reaches the threshold, or leaves
// less than the reserve for the reply, whichever comes first (D-40).
func (w *Window) ShouldCompress(strategy compression.Strategy) bool {
	return float64(w.Tokens()) >= w.threshold(strategy)*float64(w.Size()) || w.overLimit()
}

// Trigger is the total at which compression starts: the threshold's share of the
// window, or what the reserve leaves of it if that is less (D-40).
func (w *Window) Trigger(strategy compression.Strategy) int {
	return min(w.thresholdTokens(strategy), w.Size()-w.reserve())
}

// Due is Trigger for the strategy in use, 0 when none is.
func (w *Window) Due() int {
	strategy, err := w.Active()
	if err != nil {
		return 0
	}
	return w.Trigger(strategy)
}

// thresholdTokens is the threshold's share of the window.
func (w *Window) thresholdTokens(strategy compression.Strategy) int {
	return int(w.threshold(strategy) * float64(w.Size()))
}

// overLimit reports whether the next request and the reserve exceed the window (D-08).
func (m *measure) overLimit() bool {
	reserve, err := m.Reserve()
	return err == nil && m.Tokens()+reserve > m.Size()
}

// threshold resolves REQ-HD-001.10: what the user set, else the strategy's own.
func (w *Window) threshold(strategy compression.Strategy) float64 {
	if set := settings.CompressionThreshold.Of(w.Settings); set > 0 {
		return set
	}
	return strategy.Trigger().DefaultThreshold
}

// PerformCompression lets the strategy rebuild the history and reports the outcome.
// Entries that arrive meanwhile are kept by the history service. A message that is too
// large by itself is cut first, and a request that nothing can make fit is refused before
// anything is lost of it. At the hard limit a
// model that gives no summary learns of and passed over, for the ladder continues
// without it (D-30).
func (w *Window) PerformCompression(ctx context.Context, strategy compression.Strategy) (compression.Result, error) {
	if err := w.fitMessage(strategy); err != nil {
		return compression.Result{}, err
	}
	// What the model called last may alone be more than a compression aims for: no strategy
	// could make room for it but by dropping all else.
	if _, err := w.shorten(strategy, compression.RungCalls, compression.ShortenLatest); err != nil {
		return compression.Result{}, err
	}
	if !w.ShouldCompress(strategy) {
		return compression.Result{}, nil
	}
	if w.askedInVain(strategy) {
		return compression.Result{}, nil
	}
	urgency := Urgency{Hard: w.overLimit(), Refused: w.refused}
	told, result, err := w.compress(ctx, strategy, urgency)
	if err != nil && urgency.Hard && strategy.RequiresLLM() && ctx.Err() == nil {
		if !urgency.Refused {
			w.noteVain(strategy)
		}
		told.Failed, told.Reason = true, err.Error()
		w.Tell(told)
		return compression.Result{}, nil
	}
	if !result.Applied && result.Metadata.LLMCallMade {
		w.noteVain(strategy)
	}
	if err != nil {
		return result, fmt.Errorf("compression by %s failed, nothing was sent; your message is kept, /retry sends it again: %w", strategy.Name(), err)
	}
	// A no-op over the threshold would repeat before every request; it is reported
	// once for as long as it has the same reason.
	if result.Applied || result.Reason != w.noopReason {
		w.noopReason = result.Reason
		w.Tell(told)
	}
	return result, nil
}

// fitMessage cuts the latest message where that alone is too large for the window.
func (w *Window) fitMessage(strategy compression.Strategy) error {
	entries, tokens := w.History.Curated()
	overflow := w.CompressionContext(strategy, entries, tokens).Overflow()
	if overflow == nil {
		return nil
	}
	if cut, err := w.cutMessage(strategy); cut || err != nil {
		return err
	}
	return w.inTheirTokens(overflow)
}

// cutMessage leaves of the latest message what leaves room for an answer. It reports false
// where there is no room for that either.
func (w *Window) cutMessage(strategy compression.Strategy) (bool, error) {
	return w.shorten(strategy, compression.RungMessage, func(c compression.Context) ([]*history.Content, bool) {
		return compression.CutMessage(c, len(w.ledger.prunes)+1)
	})
}

// shorten is a step that the hard limit forces, outside of the ladder. It reports false
// where there is nothing to shorten.
func (w *Window) shorten(strategy compression.Strategy, name compression.RungName, f func(compression.Context) ([]*history.Content, bool)) (bool, error) {
	before := w.Tokens()
	done, err := w.rebuild(compression.LimitCause, func(entries []*history.Content, tokens []int) ([]*history.Content, error) {
		if shorter, ok := f(w.CompressionContext(strategy, entries, tokens)); ok {
			return shorter, nil
		}
		return nil, nil
	})
	if err != nil || !done {
		return false, err
	}
	w.compressions++
	w.Tell(Compression{
		Strategy: strategy.Name(), Applied: true, Reason: compression.LimitCause + ": " + string(name),
		TokensBefore: before, TokensAfter: w.Tokens(), Limit: w.Size(),
	})
	return true, nil
}

// rebuild puts what f makes of the history in its place, and records in the ledger what left.
// It reports false where f returns nothing.
func (w *Window) rebuild(cause string, f func(entries []*history.Content, tokens []int) ([]*history.Content, error)) (done bool, err error) {
	w.followed() // while what is rebuilt is still there
	var gone []history.Prune
	err = w.History.Rebuild(cause, func(entries []*history.Content, tokens []int) (history.Rebuilt, error) {
		rebuilt, err := f(entries, tokens)
		if err != nil || rebuilt == nil {
			return history.Rebuilt{}, err
		}
		done, gone = true, compression.Departed(entries, rebuilt, cause, w.Facts)
		return history.Rebuilt{Entries: w.withTodos(rebuilt), Gone: gone}, nil
	})
	w.record(gone, nil)
	return done, err
}

// Compress runs the active strategy now, whatever the threshold, and reports nothing
// but the caller.
func (w *Window) Compress(ctx context.Context) (Compression, error) {
	strategy, err := w.Active()
	if err != nil {
		return Compression{}, err
	}
	told, _, err := w.compress(ctx, strategy, Urgency{Manual: true})
	return told, err
}

// compress is one rebuild by a strategy. The strategy works on immutable values, so
// that it may take its time while the history continues taking entries.
func (w *Window) compress(ctx context.Context, strategy compression.Strategy, urgency Urgency) (Compression, compression.Result, error) {
	told := Compression{Strategy: strategy.Name(), TokensBefore: w.Tokens(), Limit: w.Size()}
	var result compression.Result
	if w.Compacting != nil {
		if refused := w.Compacting(ctx, urgency.Manual); refused != "" && !urgency.Hard {
			result.Reason, told.Reason, told.TokensAfter = refused, refused, told.TokensBefore
			return told, result, ctx.Err()
		}
	}
	_, err := w.rebuild(strategy.Name(), func(entries []*history.Content, tokens []int) (_ []*history.Content, err error) {
		given := w.CompressionContext(strategy, entries, tokens)
		if strategy.RequiresLLM() {
			result, err = w.summarise(ctx, strategy, given, urgency)
		} else {
			result, err = strategy.Compress(ctx, given)
		}
		if !result.Applied {
			return nil, err
		}
		return result.NewHistory, err
	})
	told.Applied, told.Reason, told.TokensAfter = result.Applied, result.Reason, w.Tokens()
	if err == nil && told.Applied {
		w.compressions++
		w.head.window = 0 // what follows the head is new to the provider's cache, so it may change too
		if w.Compacted != nil {
			w.Compacted(ctx, urgency.Manual)
		}
	}
	return told, result, err
}

// Compressions counts how often the history was compressed, by steps of the ladder
// too (D-49).
func (w *Window) Compressions() int { return w.compressions }

// CompressionContext hands a strategy the entries that can be sent with their counts.
// Those are estimates of our tokenizer, so the limits are given in the same measure
// (D-09).
func (w *Window) CompressionContext(strategy compression.Strategy, entries []*history.Content, tokens []int) compression.Context {
	entries, tokens = withoutTodos(entries, tokens)
	_, carried := w.carried()
	return compression.Context{
		History:           entries,
		Tokens:            tokens,
		Count:             w.History.CountContent,
		Overhead:          w.overhead() + carried,
		ContextLimit:      w.estimated(w.Size()),
		Reserve:           w.estimated(w.reserve()) + 1,
		Threshold:         w.threshold(strategy),
		PreserveThreshold: settings.CompressionPreserveThreshold.Of(w.Settings),
		Facts:             w.Facts,

		TopPreserveThreshold: settings.CompressionTopPreserveThreshold.Of(w.Settings),
		ActiveTodos:          w.Todos(),
		TranscriptPath:       w.TranscriptPath(),
	}
}
