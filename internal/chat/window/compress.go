package window

import (
	"context"
	"fmt"

	"agent/internal/compression"
	"agent/internal/history"
	"agent/internal/settings"
)

// ShouldCompress reports whether the next request reaches the threshold or leaves less than the reserve
// for the reply (D-40).
func (m *RequestMeter) ShouldCompress(strategy compression.Strategy) bool {
	return float64(m.Tokens()) >= m.limits.threshold(strategy)*float64(m.limits.Size()) || m.overLimit()
}

// overLimit reports whether the next request plus the reserve exceeds the context window (D-08).
func (m *RequestMeter) overLimit() bool {
	reserve, err := m.limits.Reserve()
	return err == nil && m.Tokens()+reserve > m.limits.Size()
}

// CompressionThreshold returns the Trigger of the strategy in use, or 0 if none is in use.
func (w *Window) CompressionThreshold() int {
	strategy, err := w.ActiveStrategy()
	if err != nil {
		return 0
	}
	return w.Limits.CompressionThreshold(strategy)
}

// PerformCompression compresses the history by the strategy and reports the outcome. Entries added
// meanwhile are kept. A message that is too large by itself is cut first. If nothing can make the
// request fit, it is refused before any content is lost. If a model gives no summary at the hard limit,
// this is only reported, because the fallback steps work without a summary (D-30).
func (w *Window) PerformCompression(ctx context.Context, strategy compression.Strategy) (compression.Result, error) {
	if err := w.fitMessage(strategy); err != nil {
		return compression.Result{}, err
	}
	// The model's latest calls alone may exceed the target of a compression. A strategy could then
	// reach it only by dropping everything else.
	if _, err := w.shorten(strategy, compression.FallbackShortenCalls, compression.ShortenLatest); err != nil {
		return compression.Result{}, err
	}
	if !w.Measure.ShouldCompress(strategy) {
		return compression.Result{}, nil
	}
	if w.summaries.askedInVain(strategy) {
		return compression.Result{}, nil
	}
	urgency := Urgency{Hard: w.Measure.overLimit(), Refused: w.refused}
	told, result, err := w.compress(ctx, strategy, urgency)
	if err != nil && urgency.Hard && strategy.RequiresLLM() && ctx.Err() == nil {
		if !urgency.Refused {
			w.summaries.noteVain(strategy)
		}
		told.Failed, told.Reason = true, err.Error()
		w.config.OnStep(told)
		return compression.Result{}, nil
	}
	if !result.Applied && result.Metadata.LLMCallMade {
		w.summaries.noteVain(strategy)
	}
	if err != nil {
		return result, fmt.Errorf("compression with %s failed, so nothing was sent: %w. To send your message again, type /retry", strategy.Name(), err)
	}
	// Above the threshold, a compression without effect would repeat before every request. It is
	// reported only once for the same reason.
	if result.Applied || result.Reason != w.noopReason {
		w.noopReason = result.Reason
		w.config.OnStep(told)
	}
	return result, nil
}

// fitMessage cuts the latest message if it alone is too large for the context window.
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

// cutMessage cuts the latest message to leave room for an answer. It returns false if even that leaves
// no room.
func (w *Window) cutMessage(strategy compression.Strategy) (bool, error) {
	return w.shorten(strategy, compression.FallbackMessage, func(c compression.Context) ([]*history.Content, bool) {
		return compression.CutMessage(c, len(w.Ledger.prunes)+1)
	})
}

// shorten runs a fallback step of the hard limit separately. It returns false if there is nothing to
// shorten.
func (w *Window) shorten(strategy compression.Strategy, name compression.FallbackName, f func(compression.Context) ([]*history.Content, bool)) (bool, error) {
	before := w.Measure.Tokens()
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
	w.config.OnStep(Compression{
		Strategy: strategy.Name(), Applied: true, Reason: compression.LimitCause + ": " + string(name),
		TokensBefore: before, TokensAfter: w.Measure.Tokens(), Limit: w.Limits.Size(),
	})
	return true, nil
}

// rebuild replaces the history by the entries that f returns, and records the removed content in the
// ledger. It returns false if f returns nil.
func (w *Window) rebuild(cause string, f func(entries []*history.Content, tokens []int) ([]*history.Content, error)) (done bool, err error) {
	w.pricing.syncEngine() // the engine must process the old entries before they are removed
	var gone []history.Prune
	err = w.History.Rebuild(cause, func(entries []*history.Content, tokens []int) (history.RebuiltHistory, error) {
		rebuilt, err := f(entries, tokens)
		if err != nil || rebuilt == nil {
			return history.RebuiltHistory{}, err
		}
		done, gone = true, compression.PrunedBetween(entries, rebuilt, cause, w.config.Facts)
		w.Ledger.nameCalls(gone, entries)
		return history.RebuiltHistory{Entries: w.todos.insert(rebuilt), Gone: gone}, nil
	})
	w.Ledger.record(gone, nil)
	return done, err
}

// Compress runs the active strategy now, whatever the threshold. It reports the outcome only to the
// caller.
func (w *Window) Compress(ctx context.Context) (Compression, error) {
	strategy, err := w.ActiveStrategy()
	if err != nil {
		return Compression{}, err
	}
	told, _, err := w.compress(ctx, strategy, Urgency{Manual: true})
	return told, err
}

// compress compresses the history once by a strategy. The strategy works on immutable values, so the
// history may receive entries meanwhile.
func (w *Window) compress(ctx context.Context, strategy compression.Strategy, urgency Urgency) (Compression, compression.Result, error) {
	told := Compression{Strategy: strategy.Name(), TokensBefore: w.Measure.Tokens(), Limit: w.Limits.Size()}
	var result compression.Result
	if refused := w.config.Moments.BeforeCompression(ctx, urgency.Manual); refused != "" && !urgency.Hard {
		result.Reason, told.Reason, told.TokensAfter = refused, refused, told.TokensBefore
		return told, result, ctx.Err()
	}
	_, err := w.rebuild(strategy.Name(), func(entries []*history.Content, tokens []int) (_ []*history.Content, err error) {
		given := w.CompressionContext(strategy, entries, tokens)
		if strategy.RequiresLLM() {
			result, err = w.summaries.summarize(ctx, strategy, given, urgency)
		} else {
			result, err = strategy.Compress(ctx, given)
		}
		if !result.Applied {
			return nil, err
		}
		return result.NewHistory, err
	})
	told.Applied, told.Reason, told.TokensAfter = result.Applied, result.Reason, w.Measure.Tokens()
	if err == nil && told.Applied {
		w.compressions++
		w.heads.renew() // the provider's cache lacks the new history, so the head may change too
		w.config.Moments.AfterCompression(ctx, urgency.Manual)
	}
	return told, result, err
}

// CompressionCount returns the number of compressions of the history, including fallback steps (D-49).
func (w *Window) CompressionCount() int { return w.compressions }

// CompressionContext returns the context for a strategy: the entries that can be sent, with their token
// counts. The counts come from our tokenizer, so the limits use the same unit (D-09).
func (w *Window) CompressionContext(strategy compression.Strategy, entries []*history.Content, tokens []int) compression.Context {
	entries, tokens = withoutTodos(entries, tokens)
	_, carried := w.todos.entry()
	reserve := w.Measure.unscaled(w.Limits.reserve())
	return compression.Context{
		History:           entries,
		Tokens:            tokens,
		Count:             w.History.CountContent,
		Overhead:          w.heads.overhead() + carried,
		ContextLimit:      w.Measure.Room() + reserve, // a request fits if it takes at most Room
		Reserve:           reserve,
		Threshold:         w.Limits.threshold(strategy),
		PreserveThreshold: settings.CompressionPreserveThreshold.Value(w.config.Settings),
		Facts:             w.config.Facts,

		TopPreserveThreshold: settings.CompressionTopPreserveThreshold.Value(w.config.Settings),
		ActiveTodos:          w.todos.list(),
		TranscriptPath:       w.config.TranscriptPath(),
	}
}
