package chat

import (
	"context"

	"agent/internal/atcmd"
	"agent/internal/history"
)

// Expander turns a message of the user into blocks: the text, the data in it, the files that the
// typed text includes with @, and the skills and commands that it calls. It calls run for each
// shell command in the texts of skills and commands.
type Expander func(ctx context.Context, message atcmd.Message, run Embedded) (atcmd.Expansion, error)

// expand turns a message of the user into blocks, after the hooks have seen it. A message that
// cannot be sent is handed back, so that no word of it is lost.
func (c *Chat) expand(ctx context.Context, message atcmd.Message) (atcmd.Expansion, error) {
	heard, err := c.submitted(ctx, message.Text())
	var said atcmd.Expansion
	if err == nil {
		said, err = c.Expand(ctx, message, c.embedded)
	}
	if err != nil {
		c.Emit(MessageReturned{Message: message})
	}
	said.Blocks = append(said.Blocks, heard...)
	return said, err
}

// addUserMessage stores a message of the user in the history, before anything else happens with
// the message.
func (c *Chat) addUserMessage(message atcmd.Message, said atcmd.Expansion) error {
	c.window.NextTurn()
	c.narrow(history.New(history.Human, said.Blocks...))
	entry := history.New(history.Human, append(said.Blocks, c.aboutMode()...)...)
	if at := c.Env.Snapshots.Mark(); at != "" {
		entry = entry.WithMeta(history.MetaFiles, string(at))
	}
	c.sent = append(c.sent, sent{message: message, entry: entry})
	if err := c.add(entry); err != nil {
		return err
	}
	c.Emit(UserMessage{Text: message.Text(), Included: said.Included, Skipped: said.Skipped})
	return nil
}

// add stores an entry in the history. An error means that the record on disk is behind; the entry
// is kept.
func (c *Chat) add(entry *history.Content) error {
	if c.SessionRoot != "" && c.SessionRoot != c.Root {
		entry = entry.WithMeta(history.MetaWorkspace, c.Root)
	}
	err := c.History.Add(entry)
	c.emitStatus()
	return err
}
