package window

import (
	"errors"

	"agent/internal/compression"
	"agent/internal/history"
	"agent/internal/settings"
)

// EnforceLimit enforces the hard limit (D-08): the request plus the reserve for the reply must fit into
// the context window. It runs the fallback steps of D-30. They continue from done, the result of the
// strategy in this pre-send window, which is zero if it did nothing (D-42). If nothing makes the
// request fit, the error is a *compression.ContextOverflowError.
func (w *Window) EnforceLimit(strategy compression.Strategy, done compression.Result) error {
	w.refused = false
	if _, err := w.Limits.Reserve(); err != nil {
		return err
	}
	if !w.Measure.overLimit() {
		return nil
	}
	if err := w.fitMessage(strategy); err != nil {
		return err
	}
	reduced, err := w.reduce(strategy, done)
	if err != nil {
		// The latest calls and their results do not fit into the window together with the message.
		if cut, cutErr := w.cutMessage(strategy); !cut || cutErr != nil {
			return errors.Join(w.inTheirTokens(err), cutErr)
		}
		if reduced, err = w.reduce(strategy, done); err != nil {
			return w.inTheirTokens(err)
		}
	}
	for _, step := range reduced.Steps {
		w.compressions++
		w.config.OnStep(Compression{
			Strategy:     strategy.Name(),
			Applied:      true,
			Reason:       compression.LimitCause + ": " + string(step.Name),
			TokensBefore: w.Measure.ToProviderTokens(step.TokensBefore),
			TokensAfter:  w.Measure.ToProviderTokens(step.TokensAfter),
			Limit:        w.Limits.Size(),
		})
	}
	return nil
}

// reduce runs the fallback steps.
func (w *Window) reduce(strategy compression.Strategy, done compression.Result) (reduced compression.FallbackResult, err error) {
	_, err = w.rebuild(compression.LimitCause, func(entries []*history.Content, tokens []int) (_ []*history.Content, err error) {
		reduced, err = compression.Reduce(compression.FallbackInput{
			Context: w.CompressionContext(strategy, entries, tokens),
			Done:    done,
		})
		return reduced.History, err
	})
	return reduced, err
}

// RecordRefusal records that a provider refused the request as too long although it fits by our count (S-12).
// named is the context window that the provider reports, and becomes the limit. If it is 0, the limit
// becomes a value safely below the size of the request. sent is the size of the request that the
// provider reports, or 0. It corrects our count, so that the next pre-send window makes the request
// smaller.
func (w *Window) RecordRefusal(named, sent int) {
	refused := w.Measure.Tokens()
	if sent == 0 && w.fits(named) {
		sent = named // the provider counted at least this many tokens
	}
	w.Measure.calibration.Observe(w.Limits.model(), w.Measure.Estimate(), sent, 0)
	limit := named
	if named == 0 || w.fits(named) {
		const margin = 10
		limit = w.Measure.Tokens() - w.Measure.Tokens()/margin
	}
	w.Limits.learn(limit)
	w.refused = true
	w.config.OnStep(Refusal{Tokens: max(refused, sent), Limit: w.Limits.Size()})
}

// fits reports whether the next request fits into a context window of this size by our count.
func (w *Window) fits(window int) bool {
	return w.Measure.Tokens() <= window-ReserveOf(settings.MaxOutputTokens.Value(w.config.Settings), window)
}

// inTheirTokens converts the numbers of an overflow error to the provider's tokens, the unit of the
// settings. It returns other errors unchanged.
func (w *Window) inTheirTokens(err error) error {
	var overflow *compression.ContextOverflowError
	if !errors.As(err, &overflow) {
		return err
	}
	overhead := w.Measure.ToProviderTokens(overflow.Overhead)
	return &compression.ContextOverflowError{
		Overhead: overhead,
		Message:  w.Measure.ToProviderTokens(overflow.Overhead+overflow.Message) - overhead,
		Reserve:  w.Limits.reserve(),
		Limit:    w.Limits.Size(),
	}
}
