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

// resumed notes what the last reply was and what pruning has saved, by the record.
func (c *Chat) resumed(restored session.State) {
	c.lastReply, c.stats.Saving = restored.Reply, c.saved()
}

// Points are the places in the record that Rewind can go to.
func (c *Chat) Points(context.Context) ([]history.Point, error) { return c.past.Points() }

// Rewind makes the conversation what it was before a record, which is one of the
// Points (D-80), and the files too if asked; it returns the point and the files that
// changed. What the user said there comes back to be edited. Nothing is lost: the point
// that it leaves is one to go to. It is ErrWorking while a turn runs; after an error
// nothing has changed, but for one of the record.
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
	c.sent = nil
	if point.Message != nil {
		c.Emit(MessageReturned{Message: atcmd.Again(point.Message)})
	}
	c.emitStatus()
	return err
}

// PlanRewind works out what Rewind would do to the files besides, were it asked to;
// nothing is done. The error says why that cannot be known.
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

// PlanFiles works out what undoing the file changes of the latest turn, or redoing
// them, would do; nothing is done. The error is snapshot.ErrNothing when there is
// nothing, and ErrWorking while a turn runs.
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

// MoveFiles does what was planned, all of it or nothing, and lets the model know with
// the next message. It is ErrWorking while a turn runs.
func (c *Chat) MoveFiles(ctx context.Context, plan *snapshot.Plan) (changed []snapshot.Changed, err error) {
	err = c.whenIdle(ctx, func() error {
		changed, err = c.past.Move(plan)
		return err
	})
	return changed, err
}

// Removed returns what left the context under a number of the Ledger: a line that says
// what it is and how old, and the content.
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

// BringBack puts what left the context under a number of the Ledger back into it, as
// the newest entry. It returns how many tokens that takes; it is ErrWorking while a turn
// runs.
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

// archive hands the tools what left the context and is kept in the record.
type archive struct{ *Chat }

// archive is nil where nothing is recorded.
func (c *Chat) archive() tools.Archive {
	if c.Session == nil {
		return nil
	}
	return archive{c}
}

// Removed implements tools.Archive. What was recalled and left again is not listed: it
// is there under its first number.
func (a archive) Removed(ctx context.Context) ([]tools.Removed, error) {
	ledger, err := a.Ledger(ctx)
	var removed []tools.Removed
	for i, p := range ledger {
		if tool, err := a.Tools.Get(p.Tool); err != nil || !tool.NeedsRecord {
			removed = append(removed, tools.Removed{Number: i + 1, Turn: p.Turn, Tokens: p.Tokens, Tool: p.Tool, Subject: p.Subject})
		}
	}
	return removed, err
}

// Fetch implements tools.Archive. What the model asks for is needed after all.
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
