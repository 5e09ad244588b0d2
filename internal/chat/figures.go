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

// Held is a part of the context that pruning could take and has not.
type Held = window.Held

// Held lists the parts of the context that are about a file or command, all of them for
// "", and why each is still there.
func (c *Chat) Held(ctx context.Context, subject string) ([]Held, error) {
	return ask(ctx, c.inbox, func() []Held { return c.window.Held(subject) })
}

// KnownFiles are the files that the context holds something of, and Pins those of them
// that pruning leaves alone, by their absolute paths.
func (c *Chat) KnownFiles(ctx context.Context) (known, pinned []string, err error) {
	_, err = ask(ctx, c.inbox, func() struct{} {
		known, pinned = c.window.KnownFiles(), c.window.Pins()
		return struct{}{}
	})
	if err != nil {
		return nil, nil, err
	}
	return known, pinned, nil
}

// Pin keeps pruning away from a file until it is unpinned, and returns its absolute path.
func (c *Chat) Pin(ctx context.Context, path string, pinned bool) (file string, err error) {
	type outcome struct {
		file string
		err  error
	}
	o, err := ask(ctx, c.inbox, func() outcome {
		file, err := c.window.Pin(path, pinned)
		return outcome{file, err}
	})
	if err != nil {
		return "", err
	}
	return o.file, o.err
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
