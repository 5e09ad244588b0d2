package chat

import (
	"context"

	"agent/internal/history"
	"agent/internal/snapshot"
)

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
		changed, err = c.moveFiles(plan)
		return err
	})
	return changed, err
}

// moveFiles is MoveFiles on the owner: the files, what the model is known to have seen
// of them, which of its writes still count (D-48), and a message that says so.
func (c *Chat) moveFiles(plan *snapshot.Plan) ([]snapshot.Changed, error) {
	changed, err := c.Env.Snapshots.Apply(plan)
	if err != nil {
		return nil, err
	}
	known := make(map[string]bool)
	for _, file := range changed {
		known[file.Abs] = c.Env.Seen.Known(file.Abs)
		switch {
		case file.Content == nil:
			c.Env.Seen.Forget(file.Abs)
		case c.Env.Seen.Known(file.Abs):
			c.Env.Seen.Record(file.Abs, file.Content)
		}
	}
	err = c.markUndone()
	if err != nil || len(changed) == 0 {
		return changed, err
	}
	return changed, c.add(history.New(history.Human, c.filesReport(plan, changed, known)...))
}

// markUndone has the writes count that are part of what the files hold now, and no
// other (D-48).
func (c *Chat) markUndone() error {
	return c.window.MarkUndone(func(change string) bool { return !c.Env.Snapshots.InEffect(snapshot.Mark(change)) })
}
