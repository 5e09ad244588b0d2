package chat

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"agent/internal/atcmd"
	"agent/internal/history"
	"agent/internal/snapshot"
	"agent/internal/todo"
	"agent/internal/tools"
)

// Past is the record of a conversation up to a moment, for going back in it.
type Past interface {
	// Points are the places to go to, in the order of the record.
	Points() ([]history.Point, error)
	// Before is the conversation as it was before a record. It can be made current again
	// until it is asked the next time.
	Before(seq uint64) (Restored, error)
}

// Restored is a conversation as its record gives it.
type Restored struct {
	Entries []*history.Content
	// Ledger is what was pruned of it, Pins the files that pruning leaves alone.
	Ledger []PruneRecord
	Pins   []string
	// Steps tell how the entries came about, nil where nobody knows.
	Steps iter.Seq2[history.Step, error]
	// Reply is what the model said last, as /copy means it, also when that has left the
	// context since.
	Reply string
	Todos todo.List
	// Scales say how providers count, by model (D-09).
	Scales map[string]float64
	// Turn is how many messages of the user led to it.
	Turn int
}

// errNoPast is returned where nothing is recorded.
var errNoPast = errors.New("nothing is recorded (--no-session), so there is nothing to go back to")

// Points are the places in the record to which Rewind goes.
func (c *Chat) Points(context.Context) ([]history.Point, error) {
	past, err := c.past()
	if err != nil {
		return nil, err
	}
	return past.Points()
}

func (c *Chat) past() (Past, error) {
	if c.ReadPast == nil {
		return nil, errNoPast
	}
	return c.ReadPast()
}

// Rewind makes the conversation what it was before a record, which is one of the
// Points (D-80), and the files too if asked; it returns the point and the files that
// changed. What the user said there comes back to be edited. Nothing is lost: the point
// that it leaves is one to go to. It is ErrWorking while a turn runs; after an error
// nothing has changed, but for one of the record.
func (c *Chat) Rewind(ctx context.Context, seq uint64, files bool) (history.Point, []snapshot.Changed, error) {
	past, err := c.past()
	if err != nil {
		return history.Point{}, nil, err
	}
	points, err := past.Points()
	if err != nil {
		return history.Point{}, nil, err
	}
	point := pointAt(points, seq)
	if point.Seq == 0 {
		return history.Point{}, nil, fmt.Errorf("the conversation has no point %d to go to", seq)
	}
	restored, err := past.Before(seq)
	if err != nil {
		return history.Point{}, nil, err
	}
	var changed []snapshot.Changed
	err = c.whenIdle(ctx, func() error {
		if files {
			if changed, err = c.rewindFiles(ctx, point); err != nil {
				return err
			}
		}
		return c.rewind(point, restored)
	})
	return point, changed, err
}

// PlanRewind works out what Rewind would do to the files besides, were it asked to;
// nothing is done. The error says why that cannot be known.
func (c *Chat) PlanRewind(ctx context.Context, seq uint64) (plan *snapshot.Plan, err error) {
	points, err := c.Points(ctx)
	if err != nil {
		return nil, err
	}
	err = c.whenIdle(ctx, func() error {
		plan, err = c.planRewind(ctx, pointAt(points, seq))
		return err
	})
	return plan, err
}

// pointAt is the point of a record, the zero one where there is none.
func pointAt(points []history.Point, seq uint64) history.Point {
	for _, p := range points {
		if p.Seq == seq {
			return p
		}
	}
	return history.Point{}
}

func (c *Chat) planRewind(ctx context.Context, point history.Point) (*snapshot.Plan, error) {
	if point.Message == nil {
		return nil, errors.New("files go forward again with /redo")
	}
	at, _ := point.Message.Metadata[history.MetaFiles].(string)
	if at == "" {
		return nil, errors.New("what the files held at that message was not kept")
	}
	return c.Env.Snapshots.Restore(ctx, snapshot.Mark(at))
}

// rewindFiles puts the files back to what they were when something was said.
func (c *Chat) rewindFiles(ctx context.Context, point history.Point) ([]snapshot.Changed, error) {
	plan, err := c.planRewind(ctx, point)
	switch {
	case err != nil:
		return nil, err
	case len(plan.Refused) > 0:
		return nil, &snapshot.RefusedError{Problems: plan.Refused}
	}
	changed, err := c.Env.Snapshots.Apply(plan)
	for _, left := range plan.Left {
		c.notice("stays as it is: %s", left)
	}
	return changed, err
}

// rewind takes up the conversation as it was at a point. Which of its writes count is
// what the files say now (D-48), not what they were then.
func (c *Chat) rewind(point history.Point, restored Restored) error {
	if err := c.History.Rewind(restored.Entries, point.Seq); err != nil {
		return err
	}
	c.window.Reset()
	err := c.takeUp(restored)
	c.sent = nil
	c.Env.Seen = tools.NewSeen() // the files may be others than the model knew then
	err = errors.Join(err, repair(c.History), c.markUndone())
	if c.Env.Todos != nil {
		err = errors.Join(err, c.Env.Todos.Set(restored.Todos))
	}
	if point.Message != nil {
		c.Emit(MessageReturned{Message: atcmd.Again(point.Message)})
	}
	c.emitStatus()
	return err
}
