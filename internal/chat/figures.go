package chat

import (
	"context"

	"agent/internal/chat/window"
)

// ContextUsage is the next request by kind.
type ContextUsage = window.Usage

// PruneRecord is one line of the ledger that /density shows.
type PruneRecord = window.Prune

// ContextUsage describes the next request by kind.
func (c *Chat) ContextUsage(ctx context.Context) (ContextUsage, error) {
	return ask(ctx, c.inbox, c.window.Usage)
}

// Ledger lists every prune of the session, oldest first.
func (c *Chat) Ledger(ctx context.Context) ([]PruneRecord, error) {
	return ask(ctx, c.inbox, c.window.Ledger)
}

// Stats returns the running figures of the session.
func (c *Chat) Stats(ctx context.Context) (Stats, error) { return ask(ctx, c.inbox, c.figures) }

// LastReply returns the model's latest text, "" before the first.
func (c *Chat) LastReply(ctx context.Context) (string, error) {
	return ask(ctx, c.inbox, func() string { return c.lastReply })
}
