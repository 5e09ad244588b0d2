package rewind

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

// errNoRecord is returned if the conversation is not recorded.
var errNoRecord = errors.New("can't rewind: the session has no log (--no-session)")

// Points returns the points of the session log to which the conversation can return. It may be called
// from any goroutine.
func (p *Rewinder) Points() ([]history.Point, error) {
	_, points, err := p.points()
	return points, err
}

func (p *Rewinder) points() (*session.LogSnapshot, []history.Point, error) {
	if p.Session == nil {
		return nil, nil, errNoRecord
	}
	record, err := p.Session.Snapshot()
	if err != nil {
		return nil, nil, fmt.Errorf("can't read the session log: %w", err)
	}
	points, err := record.Points()
	return record, points, err
}

// StateAt returns the point with a sequence number, and the state of the conversation at that point. It may
// be called from any goroutine.
func (p *Rewinder) StateAt(seq uint64) (history.Point, session.State, error) {
	record, points, err := p.points()
	if err != nil {
		return history.Point{}, session.State{}, err
	}
	point := pointAt(points, seq)
	if point.Seq == 0 {
		return point, session.State{}, fmt.Errorf("can't rewind: the conversation has no message %d", seq)
	}
	restored, err := record.Before(seq)
	return point, restored, err
}

// pointAt returns the point with a sequence number, or the zero Point if there is none.
func pointAt(points []history.Point, seq uint64) history.Point {
	for _, p := range points {
		if p.Seq == seq {
			return p
		}
	}
	return history.Point{}
}

// Plan computes how to restore the files to their state at a point, and changes nothing. It fails if
// that state was not stored.
func (p *Rewinder) Plan(ctx context.Context, points []history.Point, seq uint64) (*snapshot.Plan, error) {
	return p.plan(ctx, pointAt(points, seq))
}

// plan does the work of Plan for a point. Only a message has a stored state of the files. The end of a
// branch has none.
func (p *Rewinder) plan(ctx context.Context, point history.Point) (*snapshot.Plan, error) {
	if point.Message == nil {
		return nil, errors.New("only /redo can restore newer files")
	}
	at, _ := point.Message.Metadata[history.MetaFiles].(string)
	if at == "" {
		return nil, errors.New("agent saved no files at that message")
	}
	return p.Env.Snapshots.PlanRestore(ctx, snapshot.Mark(at))
}

// RewindFiles restores the files to their state at a message. unchanged lists the files that could not
// be restored.
func (p *Rewinder) RewindFiles(ctx context.Context, point history.Point) (changed []snapshot.ChangedFile, unchanged []snapshot.Problem, err error) {
	plan, err := p.plan(ctx, point)
	switch {
	case err != nil:
		return nil, nil, err
	case len(plan.Refused) > 0:
		return nil, nil, &snapshot.RefusedError{Problems: plan.Refused}
	}
	changed, err = p.apply(plan, "rewind")
	return changed, plan.Left, err
}

// Rewind returns the conversation to its state at a point. Whether a write of the history still counts
// depends on the present content of the file (D-48), not on the content at that point. changed reports
// whether the history was rewound, even if there is also an error.
func (p *Rewinder) Rewind(point history.Point, restored session.State) (changed bool, err error) {
	if err := p.History.Rewind(restored.Entries, point.Seq); err != nil {
		return false, err
	}
	p.Window.Reset()
	err = p.restoreWindow(restored)
	p.Env.Seen = tools.NewSeenFiles() // files may have changed since the model saw them
	err = errors.Join(err, p.repair(), p.markUndone())
	if p.Env.Todos != nil {
		list, _ := todo.Parse(restored.Todos) // an unreadable list counts as empty
		err = errors.Join(err, p.Env.Todos.Set(list))
	}
	return true, err
}
