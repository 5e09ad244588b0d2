package chat

import (
	"context"
	"slices"
)

// Figures returns the totals and the state of the window. It belongs to the owner
// goroutine.
func (c *Chat) Figures() (Stats, Status) { return c.stats, c.status() }

// ContextUsage describes the next request by kind.
func (c *Chat) ContextUsage(ctx context.Context) (ContextUsage, error) {
	return ask(ctx, c, c.contextUsage)
}

func (c *Chat) contextUsage() ContextUsage {
	c.prepare()
	kinds := c.History.Usage()
	// Each part is what it adds to the scaled sum, so that the parts make up
	// exactly the size of the next request whatever the rounding.
	estimate, told := 0, 0
	part := func(tokens int) int {
		estimate += tokens
		before := told
		told = c.scaled(estimate)
		return told - before
	}
	usage := ContextUsage{
		System:  part(c.window.systemTokens),
		Tools:   part(c.window.overhead - c.window.systemTokens),
		Human:   part(kinds.Human),
		AI:      part(kinds.Assistant),
		Calls:   part(kinds.ToolCalls),
		Results: part(kinds.ToolResults),
		Limit:   c.contextLimit(),
		Prompt:  c.latest.PromptTokens,
		Cached:  c.latest.CachedTokens,
		Freed:   c.density.freed,
	}
	if strategy, err := c.strategy(); err == nil {
		usage.Threshold = int(Threshold(c.Settings, strategy) * float64(usage.Limit))
	}
	return usage
}

// Ledger lists every prune of the session, oldest first.
func (c *Chat) Ledger(ctx context.Context) ([]PruneRecord, error) {
	return ask(ctx, c, func() []PruneRecord { return slices.Clone(c.ledger) })
}

// Stats returns the running figures of the session.
func (c *Chat) Stats(ctx context.Context) (Stats, error) {
	return ask(ctx, c, func() Stats { return c.stats })
}

// LastReply returns the model's latest text, "" before the first.
func (c *Chat) LastReply(ctx context.Context) (string, error) {
	return ask(ctx, c, func() string { return c.lastReply })
}
