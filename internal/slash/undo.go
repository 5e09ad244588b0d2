package slash

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"agent/internal/base/humanize"
	"agent/internal/command"
	"agent/internal/notes"
	"agent/internal/snapshot"
)

func undoCommand(f *files) command.Command {
	return f.command(snapshot.Undo, "undo the file changes of the last turn")
}

func redoCommand(f *files) command.Command {
	return f.command(snapshot.Redo, "redo changes that /undo reverted")
}

// command returns a command that shows its changes to files, and applies them after the user has confirmed.
func (f *files) command(way snapshot.Operation, help string) command.Command {
	return command.Command{
		Name: string(way), Help: help,
		Forms: []command.Form{
			{Does: "preview the changes", Run: func(ctx context.Context, _ []string) (command.Output, error) { return f.showFiles(ctx, way) }},
			{Args: "yes", Does: "make the previewed changes", Run: func(ctx context.Context, _ []string) (command.Output, error) { return f.moveFiles(ctx, way) }},
		},
	}
}

// files runs /undo and /redo. The commands may run at the same time.
type files struct {
	past  Rewinder
	notes Notes

	// shown holds the latest plan that one of the commands showed. A plan is carried out at most once, and
	// only while it is the latest.
	shown atomic.Pointer[goingBack]
}

// goingBack holds the planned changes of one command: to files, and to the notes that the model stored in
// the undone turns.
type goingBack struct {
	*snapshot.Plan
	notes []notes.Note
}

// planFiles plans the changes of a command. If the latest notes are newer than the latest file changes, the
// plan undoes only the notes.
func (f *files) planFiles(ctx context.Context, way snapshot.Operation) (*goingBack, error) {
	plan, err := f.past.PlanFiles(ctx, way)
	back := &goingBack{Plan: plan}
	if way == snapshot.Undo && f.notes != nil && (err == nil || errors.Is(err, snapshot.ErrNoChanges)) {
		since, later := time.Time{}, false
		if err == nil {
			since = plan.Since
		}
		if back.notes, later = f.notes.LatestTurnNotes(since); later {
			return &goingBack{&snapshot.Plan{Kind: way}, back.notes}, nil
		}
	}
	if errors.Is(err, snapshot.ErrNoChanges) {
		return nil, fmt.Errorf("nothing to %s: %s", way, map[snapshot.Operation]string{
			snapshot.Undo: "no turn changed files, or all are undone. Changes by background commands and to ignored files are not recorded",
			snapshot.Redo: "nothing was undone since the last file change",
		}[way])
	}
	if err != nil {
		return nil, err
	}
	if len(plan.Refused) > 0 {
		return nil, &snapshot.RefusedError{Problems: plan.Refused}
	}
	return back, nil
}

// showFiles shows the planned changes and stores the plan, so that the confirmation applies exactly these
// changes.
func (f *files) showFiles(ctx context.Context, way snapshot.Operation) (command.Output, error) {
	plan, err := f.planFiles(ctx, way)
	if err != nil {
		return command.Output{}, err
	}
	f.shown.Store(plan)
	if len(plan.Steps)+len(plan.Left)+len(plan.notes) == 0 {
		return f.moveFiles(ctx, way) // no changes to show
	}
	next := fmt.Sprintf("/%s yes", way)
	ask := askAbout(plan.Plan, plan.notes...)
	ask.Title, ask.YesEffect, ask.YesCommand = plan.headline(), "yes, "+string(way), next
	ask.Yes = func(ctx context.Context) (command.Output, error) { return f.carryOut(ctx, plan) }
	ask.Current = func() bool { return f.shown.Load() == plan && !plan.IsOutdated() }
	lines := []string{plan.headline() + ":"}
	for _, part := range ask.Parts {
		lines = append(lines, "  "+part.Title)
	}
	return command.Output{Lines: append(lines, fmt.Sprintf("To %s this, type %s", way, next)), Diff: plan.Diff(), Ask: ask}, nil
}

// askAbout returns a question about the changes of a plan, file by file.
func askAbout(plan *snapshot.Plan, also ...notes.Note) *command.Question {
	ask := &command.Question{}
	for _, n := range also {
		ask.Parts = append(ask.Parts, command.QuestionPart{Title: "delete the note " + n.ID + ": " + humanize.Line(n.Text, 120)})
	}
	for _, step := range plan.Steps {
		ask.Parts = append(ask.Parts, command.QuestionPart{Title: step.Line(), Diff: step.Diff})
	}
	for _, left := range plan.Left {
		ask.Parts = append(ask.Parts, command.QuestionPart{Title: staysAsItIs(left)})
	}
	return ask
}

func staysAsItIs(left snapshot.Problem) string { return "not restored: " + left.String() }

func (plan *goingBack) headline() string {
	if len(plan.Steps)+len(plan.Left) == 0 && len(plan.notes) > 0 {
		return fmt.Sprintf("%s %s of the model", plan.Kind, humanize.Count(len(plan.notes), "note"))
	}
	return fmt.Sprintf("%s the changes%s to %s", plan.Kind, about(plan.Plan), humanize.Count(len(plan.Steps), "file"))
}

// about names the message whose changes a plan reverts or restores.
func about(plan *snapshot.Plan) string {
	if plan.Title == "" {
		return ""
	}
	return " of “" + plan.Title + "”"
}

// moveFiles carries out the plan that was shown. If none was shown, it makes a plan first.
func (f *files) moveFiles(ctx context.Context, way snapshot.Operation) (command.Output, error) {
	plan := f.shown.Load()
	if plan == nil || plan.Kind != way {
		var err error
		if plan, err = f.planFiles(ctx, way); err != nil {
			return command.Output{}, err
		}
		f.shown.Store(plan)
	}
	return f.carryOut(ctx, plan)
}

// errOutdated is returned for the answer to an outdated question.
var errOutdated = errors.New("nothing changed: the question is outdated. Type the command again")

// carryOut carries out a plan if it is the latest one and was not carried out yet.
func (f *files) carryOut(ctx context.Context, plan *goingBack) (command.Output, error) {
	if !f.shown.CompareAndSwap(plan, nil) {
		return command.Output{}, errOutdated
	}
	way := plan.Kind
	var deleted []string
	for _, n := range plan.notes {
		if err := f.notes.Delete(n.ID); err != nil {
			return command.Output{}, err
		}
		deleted = append(deleted, "  deleted the note "+n.ID)
	}
	if len(plan.Steps)+len(plan.Left) == 0 && len(deleted) > 0 {
		return command.Output{Lines: append([]string{"Undone. The model is told with your next message."}, deleted...)}, nil
	}
	changed, err := f.past.ApplyFilePlan(ctx, plan.Plan)
	if err != nil && len(changed) == 0 {
		return command.Output{}, err
	}
	did := map[snapshot.Operation]string{snapshot.Undo: "Undone", snapshot.Redo: "Redone"}[way]
	lines := []string{fmt.Sprintf("%s: %s. The model is told with your next message.", did, humanize.Count(len(changed), "file"))}
	switch {
	case len(changed) > 0:
	case len(plan.Left) > 0:
		lines[0] = "No file changed."
	default:
		lines[0] = fmt.Sprintf("%s: the changes%s. The files already had this content.", did, about(plan.Plan))
	}
	lines = append(append(lines, changedLines(changed)...), deleted...)
	for _, left := range plan.Left {
		lines = append(lines, "  "+staysAsItIs(left))
	}
	if way == snapshot.Undo {
		lines = append(lines, "To revert this, type /redo.")
	}
	return command.Output{Lines: lines}, err
}

// mostChanged limits the number of changed files that are named. Each file was shown before the change.
const mostChanged = 20

func changedLines(changed []snapshot.ChangedFile) []string {
	var lines []string
	for i, file := range changed {
		if i == mostChanged {
			return append(lines, fmt.Sprintf("  and %s more", humanize.Count(len(changed)-i, "file")))
		}
		lines = append(lines, fmt.Sprintf("  %-7s %s", file.Does, file.Path))
	}
	return lines
}
