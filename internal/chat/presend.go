package chat

import (
	"context"

	"agent/internal/chat/window"
	"agent/internal/compression"
)

// EnsureCompressionBeforeSend runs the pre-send window (D-29): density, threshold check,
// compression, hard limit, in this order, before every request of a turn. Nothing else makes the
// history smaller, except after a provider's refusal (D-50).
func EnsureCompressionBeforeSend(ctx context.Context, w *window.Window) error {
	strategy, err := w.ActiveStrategy()
	if err != nil {
		return err
	}
	if err := w.Pruning.EnsureDensityOptimized(strategy); err != nil {
		return err
	}
	var done compression.Result
	if w.Measure.ShouldCompress(strategy) {
		if done, err = w.PerformCompression(ctx, strategy); err != nil {
			return err
		}
	}
	return w.EnforceLimit(strategy, done)
}
