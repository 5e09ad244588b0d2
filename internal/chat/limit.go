package chat

import (
	"context"
	"errors"

	"agent/internal/compression"
	"agent/internal/history"
	"agent/internal/settings"
)

// enforceContextWindow is the hard limit (D-08): what is sent plus what is
// reserved for the reply must fit. The ladder of D-30 sees to it or says why not.
func (c *Chat) enforceContextWindow(ctx context.Context, strategy compression.Strategy) error {
	reserve, err := c.reserve()
	if err != nil {
		return err
	}
	if c.Tokens()+reserve <= c.contextLimit() {
		return nil
	}
	return c.reduce(ctx, strategy, reserve)
}

// neverOptimised is no generation of a history.
const neverOptimised = ^uint64(0)

// reduce brings the request under the limit less reserve: density once more
// (REQ-HD-002.8), then the ladder, telling each rung.
func (c *Chat) reduce(ctx context.Context, strategy compression.Strategy, reserve int) error {
	c.density.optimised = neverOptimised
	if err := c.ensureDensityOptimized(strategy); err != nil {
		return err
	}
	if c.Tokens()+reserve <= c.contextLimit() {
		return nil
	}
	before := c.Tokens()
	err := c.History.Rebuild("context limit", func(entries []*history.Content, tokens []int) ([]*history.Content, error) {
		result, err := compression.Reduce(ctx, compression.LadderInput{
			Context:  c.compressionContext(strategy, entries, tokens),
			Reserve:  c.estimated(reserve) + 1,
			Strategy: strategy,
			Announce: c.announceRung,
		})
		return result.History, err
	})
	if err != nil {
		return c.inTheirTokens(err)
	}
	c.noteCompression(Compressed{TokensBefore: before, TokensAfter: c.Tokens()})
	c.emitStatus()
	return nil
}

// inTheirTokens restates an overflow, which the ladder tells in our tokens, in those
// of the provider, which the settings mean.
func (c *Chat) inTheirTokens(err error) error {
	var overflow *compression.ContextOverflowError
	if !errors.As(err, &overflow) {
		return err
	}
	reserve, _ := c.reserve()
	return &compression.ContextOverflowError{
		Overhead: c.scaled(overflow.Overhead),
		Message:  c.scaled(overflow.Message),
		Reserve:  reserve,
		Limit:    c.contextLimit(),
	}
}

func (c *Chat) announceRung(rung compression.Rung) {
	if rung.Err != nil {
		c.notice("context limit: %s failed (%v), going on with the next step", rung.Name, rung.Err)
		return
	}
	c.notice("context limit: %s, %s → %s tokens", rung.Name, FormatTokens(c.scaled(rung.TokensBefore)), FormatTokens(c.scaled(rung.TokensAfter)))
}

// reduceAfterRefusal answers a provider that finds the request too long although
// it fits by our count: the window is smaller than we believed. What was refused,
// or the size the provider named if it did (else 0), is the upper bound from now
// on (S-12).
func (c *Chat) reduceAfterRefusal(ctx context.Context, named int) error {
	strategy, err := c.strategy()
	if err != nil {
		return err
	}
	refused := c.Tokens()
	bound := refused
	if named > 0 {
		bound = min(bound, named)
	}
	c.window.learn(settings.Model.Of(c.Settings), bound, c.configuredLimit())
	c.notice("the model refused %s tokens as too long; going on with a limit of %s (set context-limit to change it)",
		FormatTokens(refused), FormatTokens(c.contextLimit()))
	reserve, err := c.reserve()
	if err != nil {
		return err
	}
	return c.reduce(ctx, strategy, reserve)
}
