package chat

import (
	"context"
	"errors"

	"agent/internal/chat/rewind"
	"agent/internal/history"
	"agent/internal/session"
	"agent/internal/snapshot"
	"agent/internal/tools"
)

// Rewinder returns to earlier points of the conversation and earlier contents of files. It also recalls
// pruned content.
type Rewinder struct {
	emit  emitter
	past  *rewind.Rewinder
	views *Views
	// whenAlone runs a change on the owner, or refuses it while a turn or an agent runs.
	whenAlone func(ctx context.Context, change func() error) error
	// rewound is called after the conversation was rewound to an earlier point.
	rewound func(history.Point, session.State)
}

// Points returns the points in the session log to which Rewind can return.
func (p *Rewinder) Points(context.Context) ([]history.Point, error) { return p.past.Points() }

// Rewind returns the conversation to its state before a record, which is one of the Points (D-80). If
// files is set, it also restores the files. It returns the point and the changed files. The user's
// message at the point returns to the prompt for editing. Nothing is lost, because the present state
// becomes one of the Points. Rewind returns ErrBusy while a turn runs. After an error nothing has
// changed, unless the session log could not be written.
func (p *Rewinder) Rewind(ctx context.Context, seq uint64, files bool) (point history.Point, changed []snapshot.ChangedFile, err error) {
	point, restored, err := p.past.StateAt(seq)
	if err != nil {
		return history.Point{}, nil, err
	}
	err = p.whenAlone(ctx, func() error {
		if files {
			var left []snapshot.Problem
			changed, left, err = p.past.RewindFiles(ctx, point)
			for _, file := range left {
				p.emit.notice("not restored: %s", file)
			}
			if err != nil {
				return err
			}
		}
		return p.rewind(point, restored)
	})
	return point, changed, err
}

func (p *Rewinder) rewind(point history.Point, restored session.State) error {
	changed, err := p.past.Rewind(point, restored)
	if changed {
		p.rewound(point, restored)
	}
	return err
}

// PlanRewind computes the changes that Rewind would make to the files, and makes none. It returns an
// error if they cannot be computed.
func (p *Rewinder) PlanRewind(ctx context.Context, seq uint64) (plan *snapshot.Plan, err error) {
	points, err := p.past.Points()
	if err != nil {
		return nil, err
	}
	err = p.whenAlone(ctx, func() error {
		plan, err = p.past.Plan(ctx, points, seq)
		return err
	})
	return plan, err
}

// PlanFiles computes how to undo or redo the file changes of the latest turn, and changes nothing. It
// returns snapshot.ErrNoChanges if there is nothing to do, and ErrBusy while a turn runs.
func (p *Rewinder) PlanFiles(ctx context.Context, way snapshot.Operation) (plan *snapshot.Plan, err error) {
	err = p.whenAlone(ctx, func() error {
		if way == snapshot.Redo {
			plan, err = p.past.Env.Snapshots.PlanRedo(ctx)
		} else {
			plan, err = p.past.Env.Snapshots.PlanUndo(ctx)
		}
		return err
	})
	return plan, err
}

// ApplyFilePlan applies a plan completely or not at all. It adds a note about the changes for the model to
// the next message. It returns ErrBusy while a turn runs.
func (p *Rewinder) ApplyFilePlan(ctx context.Context, plan *snapshot.Plan) (changed []snapshot.ChangedFile, err error) {
	err = p.whenAlone(ctx, func() error {
		changed, err = p.past.ApplyPlan(plan)
		return err
	})
	return changed, err
}

// PrunedContent returns the pruned content with a number of the Ledger. heading describes the content and its
// age.
func (p *Rewinder) PrunedContent(ctx context.Context, number int) (heading, text string, err error) {
	ledger, err := p.views.Ledger(ctx)
	if err != nil {
		return "", "", err
	}
	line, err := rewind.LedgerLine(ledger, number)
	if err != nil {
		return "", "", err
	}
	return p.past.PrunedContent(number, line)
}

// RestoreContent adds the pruned content with a number of the Ledger to the context, as the newest entry. It
// returns the size of that entry in tokens. It returns ErrBusy while a turn runs.
func (p *Rewinder) RestoreContent(ctx context.Context, number int) (tokens int, err error) {
	heading, text, err := p.PrunedContent(ctx, number)
	if err != nil {
		return 0, err
	}
	err = p.whenAlone(ctx, func() error {
		tokens, err = p.past.RestoreContent(number, heading, text)
		return err
	})
	return tokens, err
}

// archive implements tools.Archive. It returns pruned content from the session log.
type archive struct {
	past  *Rewinder
	tools *tools.Registry
}

// archive returns the archive for tools, or nil if the session is not recorded.
func (p *Rewinder) archive(registry *tools.Registry) tools.Archive {
	if p.past.Session == nil {
		return nil
	}
	return archive{p, registry}
}

// PrunedContent implements tools.Archive. It does not list recalled content that was pruned again, because
// that content is listed under its first number.
func (a archive) PrunedContent(ctx context.Context) ([]tools.RemovedContent, error) {
	ledger, err := a.past.views.Ledger(ctx)
	var removed []tools.RemovedContent
	for _, line := range rewind.DistinctLines(ledger) {
		if tool, err := a.tools.Get(line.Tool); err != nil || !tool.NeedsRecord {
			removed = append(removed, tools.RemovedContent{Number: line.Number, Turn: line.Turn, Tokens: line.Tokens, What: rewind.DescribeLine(line.Prune)})
		}
	}
	return removed, err
}

// Text implements tools.Archive.
func (a archive) Text(ctx context.Context, number int) (string, error) {
	_, text, err := a.past.PrunedContent(ctx, number)
	return text, err
}

// Fetch implements tools.Archive. It also reports to the window that the content was needed.
func (a archive) Fetch(ctx context.Context, number int) (tools.Excerpt, error) {
	heading, text, err := a.past.PrunedContent(ctx, number)
	if err != nil {
		return tools.Excerpt{}, err
	}
	needed, err := ask(ctx, a.past.views.inbox, func() error { return a.past.views.window.Pins.MarkNeeded(number) })
	if err = errors.Join(err, needed); err != nil {
		return tools.Excerpt{}, err
	}
	return tools.Excerpt{Heading: "[" + heading + "]", Text: text}, nil
}
