package command

import (
	"context"
	"errors"
	"fmt"

	"agent/internal/snapshot"
	"agent/internal/words"
)

// confirm is what /undo and /redo are followed by to do what they have shown.
const confirm = "yes"

func (c *Commands) undoCommand() Command {
	return c.filesCommand(snapshot.Undo, "undo", "put files back to what they were")
}

// filesCommand is a command that shows what it would do to files, and does it when it
// is confirmed.
func (c *Commands) filesCommand(way snapshot.Way, name, help string) Command {
	return Command{
		Name: name, Help: help, MaxArgs: 1,
		Usage: []Form{{Does: "show what would change"}, {Args: confirm, Does: "change the files as shown"}},
		Run: func(ctx context.Context, args []string) (Output, error) {
			switch {
			case len(args) == 0:
				return c.showFiles(ctx, way)
			case args[0] == confirm:
				return c.moveFiles(ctx, way)
			}
			return Output{}, fmt.Errorf("type /%s to see what would change, and /%s %s to do it", name, name, confirm)
		},
		Complete: func(args []string) []Completion {
			if len(args) > 0 {
				return nil
			}
			return []Completion{{Value: confirm, Help: "change the files as shown"}}
		},
	}
}

// planFiles works out what a command would do to the files.
func (c *Commands) planFiles(ctx context.Context, way snapshot.Way) (*snapshot.Plan, error) {
	plan, err := c.deps.Session.PlanFiles(ctx, way)
	if errors.Is(err, snapshot.ErrNothing) {
		return nil, fmt.Errorf("there is nothing to %s: %s", way, map[snapshot.Way]string{
			snapshot.Undo: "no turn has changed files that are kept, or all are undone. Kept are edits, and what commands did to files that git tracks or does not ignore; not background jobs",
			snapshot.Redo: "nothing was undone since files were changed last",
		}[way])
	}
	if err != nil {
		return nil, err
	}
	if len(plan.Refused) > 0 {
		return nil, &snapshot.RefusedError{Problems: plan.Refused}
	}
	return plan, nil
}

// showFiles shows what would change, and remembers it: that and nothing else is what
// is done when it is confirmed.
func (c *Commands) showFiles(ctx context.Context, way snapshot.Way) (Output, error) {
	plan, err := c.planFiles(ctx, way)
	if err != nil {
		return Output{}, err
	}
	c.files.set(plan)
	if len(plan.Steps)+len(plan.Left) == 0 {
		return c.moveFiles(ctx, way) // there is nothing to see
	}
	next := fmt.Sprintf("/%s %s", way, confirm)
	ask := askAbout(plan)
	ask.Title, ask.Does, ask.Run = headline(plan), "yes, "+string(way), next
	lines := []string{headline(plan) + ":"}
	for _, part := range ask.Parts {
		lines = append(lines, "  "+part.Title)
	}
	return Output{Lines: append(lines, next+" does it."), Diff: plan.Diff(), Ask: ask}, nil
}

// askAbout is a question about what a plan does, file by file.
func askAbout(plan *snapshot.Plan) *Ask {
	ask := &Ask{}
	for _, step := range plan.Steps {
		ask.Parts = append(ask.Parts, AskPart{Title: step.Line(), Diff: step.Diff})
	}
	for _, left := range plan.Left {
		ask.Parts = append(ask.Parts, AskPart{Title: staysAsItIs(left)})
	}
	return ask
}

func staysAsItIs(left snapshot.Problem) string { return "stays as it is: " + left.String() }

// headline says in a line what a plan does.
func headline(plan *snapshot.Plan) string {
	return fmt.Sprintf("%s the changes%s to %s", plan.Kind, about(plan), words.Count(len(plan.Steps), "file"))
}

// about names the message whose changes a plan is about.
func about(plan *snapshot.Plan) string {
	if plan.Title == "" {
		return ""
	}
	return " of “" + plan.Title + "”"
}

// moveFiles does what was shown, or what there is to do when nothing was.
func (c *Commands) moveFiles(ctx context.Context, way snapshot.Way) (Output, error) {
	plan := c.files.take(way)
	if plan == nil {
		var err error
		if plan, err = c.planFiles(ctx, way); err != nil {
			return Output{}, err
		}
	}
	changed, err := c.deps.Session.MoveFiles(ctx, plan)
	if err != nil && len(changed) == 0 {
		return Output{}, err
	}
	did := map[snapshot.Way]string{snapshot.Undo: "Undone", snapshot.Redo: "Done again"}[way]
	lines := []string{fmt.Sprintf("%s: %s. The model is told with your next message.", did, words.Count(len(changed), "file"))}
	switch {
	case len(changed) > 0:
	case len(plan.Left) > 0:
		lines[0] = did + "; no file changed."
	default:
		lines[0] = fmt.Sprintf("%s: the changes%s. No file had to change: they hold that already.", did, about(plan))
	}
	lines = append(lines, changedLines(changed)...)
	for _, left := range plan.Left {
		lines = append(lines, "  "+staysAsItIs(left))
	}
	if way == snapshot.Undo {
		lines = append(lines, "/redo takes it back.")
	}
	return Output{Lines: lines}, err
}

// mostChanged bounds how many files are named that were changed: before it was done each
// was shown.
const mostChanged = 20

// changedLines say what was done to files.
func changedLines(changed []snapshot.Changed) []string {
	var lines []string
	for i, file := range changed {
		if i == mostChanged {
			return append(lines, fmt.Sprintf("  and %s more", words.Count(len(changed)-i, "file")))
		}
		lines = append(lines, fmt.Sprintf("  %-7s %s", file.Does, file.Path))
	}
	return lines
}
