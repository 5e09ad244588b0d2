package chat

import (
	"context"
	"fmt"

	"agent/internal/compression"
	"agent/internal/history"
	"agent/internal/settings"
)

// densityState remembers which history density has seen (D-02).
type densityState struct {
	optimised uint64
	freed     int
}

// ensureCompressionBeforeSend is the pre-send window (D-29): density, threshold
// check, compression, hard limit, in this order, before every request of a turn.
// It is the only place from which the history is made smaller.
func (c *Chat) ensureCompressionBeforeSend(ctx context.Context) error {
	strategy, err := c.strategy()
	if err != nil {
		return err
	}
	if err := c.ensureDensityOptimized(strategy); err != nil {
		return err
	}
	if c.shouldCompress(strategy) {
		if err := c.performCompression(ctx, strategy); err != nil {
			return err
		}
	}
	return c.enforceContextWindow(ctx, strategy)
}

func (c *Chat) strategy() (compression.Strategy, error) {
	return compression.Get(settings.CompressionStrategy.Of(c.Settings))
}

// ensureDensityOptimized prunes what newer content has made stale, when the
// strategy can and something was added since it last did (REQ-HD-002). Whatever
// comes of it, the history then counts as seen (REQ-HD-002.7).
func (c *Chat) ensureDensityOptimized(strategy compression.Strategy) error {
	optimizer, ok := strategy.(compression.Optimizer)
	generation := c.History.Generation()
	if !ok || c.density.optimised == generation {
		return nil
	}
	c.density.optimised = generation
	result, err := optimizer.Optimize(c.History.RawHistory(), c.densityConfig())
	if err != nil {
		return fmt.Errorf("density optimisation failed, nothing was sent: %w", err)
	}
	if result.Empty() {
		return nil
	}
	before := c.Tokens()
	if err := c.History.ApplyDensityResult(result); err != nil {
		return fmt.Errorf("density optimisation failed, nothing was sent: %w", err)
	}
	after := c.Tokens()
	c.density.freed += before - after
	c.Emit(DensityApplied{
		Metadata:     result.Metadata,
		Prunes:       c.record(result.Prunes),
		TokensBefore: before,
		TokensAfter:  after,
		Limit:        c.contextLimit(),
	})
	c.emitStatus()
	return nil
}

// densityConfig is the engine's view of the settings (REQ-HD-001.9).
func (c *Chat) densityConfig() compression.DensityConfig {
	config := settings.Density(c.Settings)
	config.WorkspaceRoot, config.Facts = c.Root, ToolFacts(c.Tools)
	return config
}

// shouldCompress reports whether the next request reaches the threshold (D-07).
func (c *Chat) shouldCompress(strategy compression.Strategy) bool {
	return float64(c.Tokens()) >= Threshold(c.Settings, strategy)*float64(c.contextLimit())
}

// Threshold resolves REQ-HD-001.10: what the user set, else the strategy's own.
func Threshold(s *settings.Settings, strategy compression.Strategy) float64 {
	if set, ok := settings.CompressionThreshold.Get(s); ok {
		return set
	}
	return strategy.Trigger().DefaultThreshold
}

// performCompression lets the strategy rebuild the history and tells the outcome.
// Entries that arrive meanwhile are kept by the history service.
func (c *Chat) performCompression(ctx context.Context, strategy compression.Strategy) error {
	result, err := c.compress(ctx, strategy)
	if err != nil {
		return fmt.Errorf("compression by %s failed, nothing was sent; your message is kept, /retry sends it again: %w", strategy.Name(), err)
	}
	// A no-op over the threshold would repeat before every request; it is told
	// once for as long as it has the same reason.
	if !result.Applied && result.Reason == c.noopReason {
		return nil
	}
	c.noopReason = result.Reason
	c.Emit(result)
	c.emitStatus()
	return nil
}

func (c *Chat) compress(ctx context.Context, strategy compression.Strategy) (Compressed, error) {
	told := Compressed{Strategy: strategy.Name(), TokensBefore: c.Tokens(), Limit: c.contextLimit()}
	var result compression.Result
	err := c.History.Rebuild(strategy.Name(), func(entries []*history.Content, tokens []int) (_ []*history.Content, err error) {
		if result, err = strategy.Compress(ctx, c.compressionContext(strategy, entries, tokens)); err != nil || !result.Applied {
			return nil, err
		}
		return result.NewHistory, nil
	})
	told.Applied, told.Reason, told.TokensAfter = result.Applied, result.Reason, c.Tokens()
	if err == nil && told.Applied {
		c.noteCompression(told)
	}
	return told, err
}

func (c *Chat) noteCompression(done Compressed) {
	c.stats.Compressions++
	c.density.freed += max(0, done.TokensBefore-done.TokensAfter)
}

// compressionContext hands a strategy the curated history with its counts. Counts
// are estimates of our tokenizer, so the limit is given in the same measure (D-09).
func (c *Chat) compressionContext(strategy compression.Strategy, entries []*history.Content, tokens []int) compression.Context {
	return compression.Context{
		History:           entries,
		Tokens:            tokens,
		Count:             c.History.CountContent,
		Overhead:          c.overhead(),
		ContextLimit:      c.estimated(c.contextLimit()),
		Threshold:         Threshold(c.Settings, strategy),
		PreserveThreshold: settings.CompressionPreserveThreshold.Of(c.Settings),
		Facts:             ToolFacts(c.Tools),
	}
}
