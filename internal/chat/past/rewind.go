package past

import (
	"context"
	"errors"
	"fmt"

	"agent/internal/history"
	"agent/internal/session"
	"agent/internal/snapshot"
	"agent/internal/todo"
	"agent/internal/tools"
)

// errNoRecord is returned where nothing is recorded.
var errNoRecord = errors.New("nothing is recorded (--no-session), so there is nothing to go back to")

// Points are the places in the record to go to, from any goroutine.
func (p *Past) Points() ([]history.Point, error) {
	_, points, err := p.points()
	return points, err
}

func (p *Past) points() (*session.Past, []history.Point, error) {
	if p.Session == nil {
		return nil, nil, errNoRecord
	}
	record, err := p.Session.Past()
	if err != nil {
		return nil, nil, fmt.Errorf("the record of the session cannot be read: %w", err)
	}
	points, err := record.Points()
	return record, points, err
}

// At is one of the Points and the conversation there, from any goroutine.
func (p *Past) At(seq uint64) (history.Point, session.State, error) {
	record, points, err := p.points()
	if err != nil {
		return history.Point{}, session.State{}, err
	}
	point := pointAt(points, seq)
	if point.Seq == 0 {
		return point, session.State{}, fmt.Errorf("the conversation has no point %d to go to", seq)
	}
	restored, err := record.Before(seq)
	return point, restored, err
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

// Plan works out what putting the files back to a point would do; nothing is done. The
// error says why that cannot be known.
func (p *Past) Plan(ctx context.Context, points []history.Point, seq uint64) (*snapshot.Plan, error) {
	return p.plan(ctx, pointAt(points, seq))
}

func (p *Past) plan(ctx context.Context, point history.Point) (*snapshot.Plan, error) {
	if point.Message == nil {
		return nil, errors.New("files go forward again with /redo")
	}
	at, _ := point.Message.Metadata[history.MetaFiles].(string)
	if at == "" {
		return nil, errors.New("what the files held at that message was not kept")
	}
	return p.Env.Snapshots.Restore(ctx, snapshot.Mark(at))
}

// RewindFiles puts the files back to what they were when something was said. Left names
// those that stay as they are.
func (p *Past) RewindFiles(ctx context.Context, point history.Point) (changed []snapshot.Changed, left []snapshot.Problem, err error) {
	plan, err := p.plan(ctx, point)
	switch {
	case err != nil:
		return nil, nil, err
	case len(plan.Refused) > 0:
		return nil, nil, &snapshot.RefusedError{Problems: plan.Refused}
	}
	changed, err = p.Env.Snapshots.Apply(plan)
	return changed, plan.Left, err
}

// Rewind makes the conversation what it was at a point. Which of its writes count is what
// the files say now (D-48), not what they were then. changed reports whether there is
// anything else than an error.
func (p *Past) Rewind(point history.Point, restored session.State) (changed bool, err error) {
	if err := p.History.Rewind(restored.Entries, point.Seq); err != nil {
		return false, err
	}
	p.Window.Reset()
	err = p.restoreWindow(restored)
	p.Env.Seen = tools.NewSeen() // the files may be others than the model knew then
	err = errors.Join(err, p.repair(), p.markUndone())
	if p.Env.Todos != nil {
		list, _ := todo.Parse(restored.Todos) // none where what is recorded cannot be read
		err = errors.Join(err, p.Env.Todos.Set(list))
	}
	return true, err
}
