package chat

import (
	"context"
	"fmt"
	"slices"

	"agent/internal/atcmd"
	"agent/internal/history"
	"agent/internal/todo"
)

// expand turns a message of the user into blocks, after its hooks have run. A message that cannot be
// sent returns to the prompt, so that no text is lost.
func (c *Chat) expand(ctx context.Context, message atcmd.Message) (atcmd.Expansion, error) {
	heard, err := c.moments.submitted(ctx, message.Text())
	var said atcmd.Expansion
	if err == nil {
		said, err = c.config.Extensions.Expand(ctx, message, c.embedded)
	}
	if err != nil {
		c.emit(MessageReturned{Message: message})
	}
	said.Blocks = append(said.Blocks, heard...)
	return said, err
}

// addUserMessage stores a message of the user in the history, before anything else happens with
// the message.
func (c *Chat) addUserMessage(message atcmd.Message, said atcmd.Expansion) error {
	c.window.Ledger.NextTurn()
	c.modes.narrow(history.New(history.Human, said.Blocks...))
	entry := history.New(history.Human, slices.Concat(said.Blocks, c.modes.aboutMode(), c.runner.aboutTodos(c.config.Env.Todos.List()))...)
	if at := c.config.Env.Snapshots.Mark(); at != "" {
		entry = entry.WithMeta(history.MetaFiles, string(at))
	}
	if read := readFor(said.Included); len(read.Read) > 0 {
		entry = entry.WithMeta(history.MetaEffect, read)
	}
	c.refusals.sent = append(c.refusals.sent, sentMessage{message: message, entry: entry})
	if err := c.add(entry); err != nil {
		return err
	}
	c.emit(UserMessage{Text: message.Text(), Included: said.Included, Skipped: said.Skipped})
	return nil
}

// add stores an entry in the history. An error means that the session log on disk is incomplete. The
// entry is kept.
func (c *Chat) add(entry *history.Content) error {
	if c.config.SessionRoot != "" && c.config.SessionRoot != c.config.Root {
		entry = entry.WithMeta(history.MetaWorkspace, c.config.Root)
	}
	err := c.config.History.Add(entry)
	c.emitStatus()
	return err
}

// addNested adds the recorded instructions and the updates of Extensions.News to the history. It is
// called after all calls of a reply are answered.
func (c *Chat) addNested() error {
	blocks := c.runner.nested
	c.runner.nested = nil
	if c.config.Extensions.News != nil {
		blocks = append(blocks, c.config.Extensions.News()...)
	}
	if len(blocks) == 0 {
		return nil
	}
	return c.add(history.New(history.Human, blocks...))
}

// todosKey marks the notes to the model about a todo list that is not completed.
const todosKey = "todos"

// aboutTodos returns a note for the next message if the todo list is not completed and the context does
// not contain the note. It reminds a model that forgot its list.
func (r *runner) aboutTodos(list todo.List) []history.Block {
	text := fmt.Sprintf("[Of the todo list, %d of %d are completed.]", list.Progress().Done, len(list))
	if !list.HasOpen() || r.standing(todosKey, text) > 0 {
		return nil
	}
	return []history.Block{&history.Text{Text: text, Source: history.SourceExtension, Key: todosKey}}
}

// readFor lists the files of a message whose texts the session log does not contain unchanged.
func readFor(included []atcmd.IncludedFile) (d history.Effect) {
	for _, file := range included {
		if file.Hash != "" {
			d.Read = append(d.Read, history.View{Path: file.Path, Whole: true, Hash: file.Hash})
		}
	}
	return d
}
