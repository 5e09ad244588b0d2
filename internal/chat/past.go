package chat

import (
	"cmp"
	"context"
	"errors"

	"agent/internal/atcmd"
	"agent/internal/chat/past"
	"agent/internal/history"
	"agent/internal/session"
	"agent/internal/snapshot"
	"agent/internal/tools"
)

func newPast(c *Chat) *past.Past {
	return &past.Past{
		Session: c.Session, History: c.History, Window: c.window, Tools: c.Tools, Env: c.Env,
		Folder: cmp.Or(c.SessionRoot, c.Root), Add: c.add, Now: c.Now,
		Unanswered: c.Unanswered,
	}
}

// Resume returns a chat that continues a recorded conversation.
func Resume(config Config, restored session.State) (*Chat, error) {
	c := New(config)
	if err := c.past.Resume(restored); err != nil {
		return nil, err
	}
	c.resumed(restored)
	return c, nil
}

// resumed restores the last reply and the saving of pruning from the record.
func (c *Chat) resumed(restored session.State) {
	c.lastReply, c.stats.Saving = restored.Reply, c.saved()
	c.stats.cache.resume(restored)
}

// Points returns the places in the record that Rewind can go to.
func (c *Chat) Points(context.Context) ([]history.Point, error) { return c.past.Points() }

// Rewind returns the conversation to its state before a record, which is one of the Points
// (D-80), and the files too if files is set. It returns the point and the changed files. The
// user's message at the point comes back to be edited. Nothing is lost: the present state becomes
// one of the Points. Rewind returns ErrWorking while a turn runs. After an error nothing has
// changed, unless the error came from writing the record.
func (c *Chat) Rewind(ctx context.Context, seq uint64, files bool) (point history.Point, changed []snapshot.Changed, err error) {
	point, restored, err := c.past.At(seq)
	if err != nil {
		return history.Point{}, nil, err
	}
	err = c.whenIdle(ctx, func() error {
		if files {
			var left []snapshot.Problem
			changed, left, err = c.past.RewindFiles(ctx, point)
			for _, file := range left {
				c.notice("stays as it is: %s", file)
			}
			if err != nil {
				return err
			}
		}
		return c.rewind(point, restored)
	})
	return point, changed, err
}

func (c *Chat) rewind(point history.Point, restored session.State) error {
	changed, err := c.past.Rewind(point, restored)
	if !changed {
		return err
	}
	c.resumed(restored)
	c.stats.cache.watch.Forget() // the next request goes on elsewhere
	c.sent = nil
	if point.Message != nil {
		c.Emit(MessageReturned{Message: atcmd.Again(point.Message)})
	}
	c.emitStatus()
	return err
}

// PlanRewind works out the changes that Rewind would make to the files, and makes none. It
// returns an error if they cannot be known.
func (c *Chat) PlanRewind(ctx context.Context, seq uint64) (plan *snapshot.Plan, err error) {
	points, err := c.past.Points()
	if err != nil {
		return nil, err
	}
	err = c.whenIdle(ctx, func() error {
		plan, err = c.past.Plan(ctx, points, seq)
		return err
	})
	return plan, err
}

// PlanFiles works out how to undo the file changes of the latest turn, or how to redo them, and
// changes nothing. It returns snapshot.ErrNothing if there is nothing to do, and ErrWorking while
// a turn runs.
func (c *Chat) PlanFiles(ctx context.Context, way snapshot.Way) (plan *snapshot.Plan, err error) {
	err = c.whenIdle(ctx, func() error {
		if way == snapshot.Redo {
			plan, err = c.Env.Snapshots.Redo(ctx)
		} else {
			plan, err = c.Env.Snapshots.Undo(ctx)
		}
		return err
	})
	return plan, err
}

// MoveFiles carries out a plan, all of it or nothing, and tells the model about the changes with
// the next message. It returns ErrWorking while a turn runs.
func (c *Chat) MoveFiles(ctx context.Context, plan *snapshot.Plan) (changed []snapshot.Changed, err error) {
	err = c.whenIdle(ctx, func() error {
		changed, err = c.past.Move(plan)
		return err
	})
	return changed, err
}

// Removed returns the content that left the context under a number of the Ledger, with a heading
// that describes the content and its age.
func (c *Chat) Removed(ctx context.Context, number int) (heading, text string, err error) {
	ledger, err := c.Ledger(ctx)
	if err != nil {
		return "", "", err
	}
	line, err := past.Line(ledger, number)
	if err != nil {
		return "", "", err
	}
	return c.past.Removed(number, line)
}

// BringBack puts the content that left the context under a number of the Ledger back into it, as
// the newest entry, and returns the size of that entry in tokens. It returns ErrWorking while a
// turn runs.
func (c *Chat) BringBack(ctx context.Context, number int) (tokens int, err error) {
	heading, text, err := c.Removed(ctx, number)
	if err != nil {
		return 0, err
	}
	err = c.whenIdle(ctx, func() error {
		tokens, err = c.past.BringBack(number, heading, text)
		return err
	})
	return tokens, err
}

// archive implements tools.Archive: it gives tools the content that left the context, from the
// record.
type archive struct{ *Chat }

// archive returns the archive for tools, nil if nothing is recorded.
func (c *Chat) archive() tools.Archive {
	if c.Session == nil {
		return nil
	}
	return archive{c}
}

// Removed implements tools.Archive. It does not list recalled content that left again, for that
// content is listed under its first number.
func (a archive) Removed(ctx context.Context) ([]tools.Removed, error) {
	ledger, err := a.Ledger(ctx)
	var removed []tools.Removed
	for _, line := range past.Distinct(ledger) {
		if tool, err := a.Tools.Get(line.Tool); err != nil || !tool.NeedsRecord {
			removed = append(removed, tools.Removed{Number: line.Number, Turn: line.Turn, Tokens: line.Tokens, What: past.What(line.Prune)})
		}
	}
	return removed, err
}

// Text implements tools.Archive.
func (a archive) Text(ctx context.Context, number int) (string, error) {
	_, text, err := a.Chat.Removed(ctx, number)
	return text, err
}

// Fetch implements tools.Archive. It also tells the window that the content is needed after all.
func (a archive) Fetch(ctx context.Context, number int) (tools.Fetched, error) {
	heading, text, err := a.Chat.Removed(ctx, number)
	if err != nil {
		return tools.Fetched{}, err
	}
	needed, err := ask(ctx, a.inbox, func() error { return a.window.Needed(number) })
	if err = errors.Join(err, needed); err != nil {
		return tools.Fetched{}, err
	}
	return tools.Fetched{Heading: "[" + heading + "]", Text: text}, nil
}
