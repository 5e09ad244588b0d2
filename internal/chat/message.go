package chat

import (
	"context"
	"strings"

	"agent/internal/atcmd"
	"agent/internal/history"
)

// Expander turns what the user typed into blocks: the text itself and the files
// it includes with @.
type Expander func(ctx context.Context, text string) (atcmd.Expansion, error)

// addUserMessage expands what the user typed and puts it into the history, before
// anything else happens with it.
func (c *Chat) addUserMessage(ctx context.Context, text string) error {
	expansion, err := c.Expand(ctx, text)
	if err != nil {
		return err
	}
	if err := c.add(history.New(history.Human, expansion.Blocks...)); err != nil {
		return err
	}
	c.Emit(UserMessage{Text: text, Included: expansion.Included, Skipped: expansion.Skipped})
	return nil
}

// add puts an entry into the history. An error means that the record on disk is
// behind; the entry is kept.
func (c *Chat) add(entry *history.Content) error {
	err := c.History.Add(entry)
	c.emitStatus()
	return err
}

func firstLine(s string) string {
	line, _, more := strings.Cut(strings.TrimSpace(s), "\n")
	if more {
		line += " …"
	}
	return line
}
