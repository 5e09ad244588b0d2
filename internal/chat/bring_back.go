package chat

import (
	"context"
	"fmt"

	"agent/internal/history"
	"agent/internal/words"
)

// Removed returns what left the context under a number of the Ledger: a line that says
// what it is and how old, and the content.
func (c *Chat) Removed(ctx context.Context, number int) (heading, text string, err error) {
	p, err := c.prune(ctx, number)
	if err != nil {
		return "", "", err
	}
	found, err := c.recall(number, p)
	if err != nil {
		return "", "", err
	}
	heading, err = c.heading(number, p, found)
	return heading, textOf(found.Blocks), err
}

// BringBack puts what left the context under a number of the Ledger back into it, as
// the newest entry: nothing that was sent before changes, and density does not take it
// again. Its file is pinned where the strategy asks what pruning costs. It returns how
// many tokens that takes; it is ErrWorking while a turn runs.
func (c *Chat) BringBack(ctx context.Context, number int) (tokens int, err error) {
	heading, text, err := c.Removed(ctx, number)
	if err != nil {
		return 0, err
	}
	block := history.NewData(history.Restored, "I bring this back into the context. "+heading+":", text)
	entry := history.New(history.Human, block).WithMeta(history.MetaRestored, number)
	err = c.whenIdle(ctx, func() error {
		before := c.window.Tokens()
		tokens = c.window.Scaled(c.History.CountContent(entry))
		if most := c.window.Due(); before+tokens >= most {
			return fmt.Errorf("number %d takes %s tokens, and %s of %s are in use before compression starts; ask the model to recall the part that matters",
				number, words.Tokens(tokens), words.Tokens(before), words.Tokens(most))
		}
		if err := c.window.KeepFile(number); err != nil {
			return err
		}
		return c.add(entry)
	})
	return tokens, err
}
