package window

import (
	"fmt"

	"agent/internal/compression"
	"agent/internal/settings"
)

// EnsureDensityOptimized prunes content that newer content has made stale. It does so if the
// strategy can, and if something was added since the last time (REQ-HD-002) or the request is
// over the hard limit (REQ-HD-002.8). Whatever the outcome, the history then counts as seen
// (REQ-HD-002.7).
func (w *Window) EnsureDensityOptimized(strategy compression.Strategy) error {
	w.tellHead()
	if pruner, ok := strategy.(compression.Pruner); ok {
		return w.pruneByPrice(pruner)
	}
	optimizer, ok := strategy.(compression.Optimizer)
	generation := w.History.Generation()
	if !ok || w.optimised == generation && !w.overLimit() {
		return nil
	}
	w.optimised = generation
	result, err := optimizer.Optimize(w.History.RawHistory(), w.DensityConfig())
	if err != nil {
		return fmt.Errorf("density optimisation failed, nothing was sent: %w", err)
	}
	if len(result.Skipped) > 0 && w.Log != nil {
		w.Log.Debug("density passed over calls that name no file", "entries", result.Skipped)
	}
	if result.Empty() {
		return nil
	}
	before := w.Tokens()
	w.nameCalls(result.Prunes, w.History.RawHistory())
	if err := w.History.ApplyDensityResult(result); err != nil {
		return fmt.Errorf("density optimisation failed, nothing was sent: %w", err)
	}
	after := w.Tokens()
	w.Tell(Density{
		Metadata:     result.Metadata,
		Prunes:       w.record(result.Prunes, nil),
		TokensBefore: before,
		TokensAfter:  after,
		Limit:        w.Size(),
	})
	return nil
}

// DensityConfig returns the settings for the engine (REQ-HD-001.9).
func (p *pruning) DensityConfig() compression.DensityConfig {
	config := settings.Density(p.Settings)
	config.WorkspaceRoot, config.Facts, config.Pinned = p.Root, p.Facts, p.pins
	return config
}
