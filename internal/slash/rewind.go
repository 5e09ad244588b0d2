package slash

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"agent/internal/base/humanize"
	"agent/internal/base/table"
	"agent/internal/command"
	"agent/internal/history"
	"agent/internal/snapshot"
)

func rewindCommand(d Deps) command.Command {
	return command.Command{
		Name: "rewind", Aliases: []string{"checkpoint"}, Help: "return to an earlier message",
		Forms: []command.Form{
			{Does: "list your earlier messages and choose one", Run: d.choosePoint},
			{Args: "NUMBER [files]", Does: "restore the context to before message NUMBER; with files, restore the files too", Run: d.rewind, Complete: d.completePoints},
			{Args: forward + " [files]", Does: "return to where you were before the last rewind", Run: func(ctx context.Context, files []string) (command.Output, error) {
				return d.rewind(ctx, append([]string{forward}, files...))
			}, Complete: func([]string) []command.Completion { return d.completePoints([]string{forward}) }},
		},
	}
}

const (
	// withFiles is the argument of /rewind that also restores the files.
	withFiles = "files"
	// forward is the argument of /rewind that returns to the branch that was left last.
	forward = "forward"
)

var nothingSaid = command.Output{Lines: []string{"No earlier message to return to."}}

func (d Deps) choosePoint(ctx context.Context, _ []string) (command.Output, error) {
	points, err := d.Past.Points(ctx)
	switch {
	case err != nil:
		return command.Output{}, err
	case len(points) == 0:
		return nothingSaid, nil
	}
	return command.Output{Lines: d.listPoints(points), Pick: d.pickPoint(points)}, nil
}

func (d Deps) completePoints(values []string) (proposals []command.Completion) {
	if len(values) > 0 {
		return []command.Completion{{Value: withFiles, Help: "restore the files too"}}
	}
	ctx, cancel := context.WithTimeout(context.Background(), completionTime)
	defer cancel()
	points, _ := d.Past.Points(ctx) // without points there are no proposals
	for _, p := range slices.Backward(points) {
		proposals = append(proposals, command.Completion{Value: pointName(p), Help: pointText(p)})
	}
	return proposals
}

func (d Deps) rewind(ctx context.Context, values []string) (command.Output, error) {
	files := len(values) == 2
	if files && !strings.EqualFold(values[1], withFiles) {
		return command.Output{}, fmt.Errorf("unknown argument %q. To restore the files too, type /rewind %s %s", values[1], values[0], withFiles)
	}
	points, err := d.Past.Points(ctx)
	switch {
	case err != nil:
		return command.Output{}, err
	case len(points) == 0:
		return nothingSaid, nil
	}
	p, err := findPoint(points, values[0])
	if err != nil {
		return command.Output{}, err
	}
	p, changed, err := d.Past.Rewind(ctx, p.Seq, files)
	if err != nil {
		return command.Output{}, err
	}
	if !files {
		return d.leftFiles(ctx, p), nil
	}
	lines := append([]string{wentTo(p)}, changedLines(changed)...)
	if len(changed) == 0 {
		return command.Output{Lines: append(lines, "No file changed since then.")}, nil
	}
	return command.Output{Lines: append(lines, humanize.Count(len(changed), "file")+" restored. To revert that, type /redo.")}, nil
}

// leftFiles reports the position in the conversation after a rewind that did not change the files. It asks
// whether to restore the files too.
func (d Deps) leftFiles(ctx context.Context, p history.Point) command.Output {
	went := wentTo(p)
	if p.IsEnd() {
		return command.Output{Lines: []string{went, "Files are unchanged."}}
	}
	plan, err := d.Past.PlanRewind(ctx, p.Seq)
	switch {
	case err != nil:
		return command.Output{Lines: []string{went, fmt.Sprintf("The files are not restored: %v.", err)}}
	case len(plan.Refused) > 0:
		refused := &snapshot.RefusedError{Problems: plan.Refused}
		return command.Output{Lines: []string{went, "The files are not restored, because that would overwrite later changes by others: " + refused.Files()}}
	case len(plan.Steps) == 0:
		return command.Output{Lines: []string{went, "No file changed since then."}}
	}
	back := fmt.Sprintf("/rewind %s %s", recordName(p), withFiles)
	n := humanize.Count(len(plan.Steps), "file")
	ask := askAbout(plan)
	ask.Done, ask.YesCommand = []string{went}, back
	ask.Current = func() bool { return !plan.IsOutdated() }
	ask.Yes = func(ctx context.Context) (command.Output, error) {
		if !ask.Current() {
			return command.Output{}, errOutdated
		}
		return d.rewind(ctx, []string{recordName(p), withFiles})
	}
	ask.Title, ask.YesEffect = "restore "+n+" to their state before that message", "yes, restore"
	return command.Output{Lines: []string{went, fmt.Sprintf("Files are unchanged. To restore %[2]s too, type %[1]s.", back, n)}, Ask: ask}
}

// findPoint returns the point with a name: the number of a message, the name of a record, or the word
// forward.
func findPoint(points []history.Point, name string) (history.Point, error) {
	if strings.EqualFold(name, forward) {
		for _, p := range slices.Backward(points) {
			if p.IsEnd() && !p.Cleared {
				return p, nil
			}
		}
		return history.Point{}, errors.New("there is no rewind to undo")
	}
	turns := 0
	for _, p := range points {
		if strings.EqualFold(name, pointName(p)) || strings.EqualFold(name, recordName(p)) {
			return p, nil
		}
		turns = max(turns, p.Turn)
	}
	return history.Point{}, fmt.Errorf("no message %q: use 1 to %d. Run: /rewind", name, turns)
}

// pointName returns the name that a user types for a point. On the current branch that is the number of the
// message; on an abandoned branch it is the name of the record.
func pointName(p history.Point) string {
	if p.Turn > 0 {
		return strconv.Itoa(p.Turn)
	}
	return recordName(p)
}

func recordName(p history.Point) string { return "r" + strconv.FormatUint(p.Seq, 10) }

// longestPoint limits the text of a message within a line, in characters.
const longestPoint = 200

// pointText describes a point in a line. The end of an abandoned branch is described by the last message on
// that branch.
func pointText(p history.Point) string {
	if !p.IsEnd() {
		return messageText(p.Message)
	}
	text := "the branch that you left"
	if p.Cleared {
		text = "the conversation before /clear"
	}
	if p.Last != nil {
		text += ", up to “" + messageText(p.Last) + "”"
	}
	return text
}

func messageText(message *history.Content) string {
	text := humanize.Line(humanize.FirstLine(cmp.Or(strings.TrimSpace(message.OwnText()), message.Text())), longestPoint)
	return cmp.Or(text, "(images)")
}

// pointTime formats the time of a point, with the date if it was not today.
func (d Deps) pointTime(p history.Point) string {
	now, at := d.Now(), p.At.In(d.Now().Location())
	if now.Format("20060102") == at.Format("20060102") {
		return at.Format("15:04")
	}
	return at.Format("2006-01-02 15:04")
}

func (d Deps) listPoints(points []history.Point) []string {
	rows := [][]string{{"", "when", "message"}}
	for _, p := range points {
		text := cutRight(pointText(p), ledgerWidth)
		if p.Turn == 0 && !p.IsEnd() {
			text += " (other branch)"
		}
		rows = append(rows, []string{pointName(p), d.pointTime(p), text})
	}
	lines := table.Lines("rll", rows)
	return append(lines, "", "To restore the context to before a message, type /rewind NUMBER.")
}

// pickPoint returns the list of points for a screen: the messages of the current branch, the latest first,
// then the points on abandoned branches.
func (d Deps) pickPoint(points []history.Point) *command.ChoiceList {
	pick := &command.ChoiceList{Title: "Return to before this message"}
	var behind []command.Choice
	for _, p := range slices.Backward(points) {
		choice := command.Choice{Name: pointText(p), Help: d.pointTime(p), Line: "/rewind " + pointName(p)}
		if !p.IsEnd() {
			choice.Preview = func() string { return d.pointPreview(p) }
		}
		if p.Turn > 0 {
			pick.Choices = append(pick.Choices, choice)
			continue
		}
		if !p.IsEnd() {
			choice.Help += ", other branch"
		}
		behind = append(behind, choice)
	}
	pick.Choices = append(pick.Choices, behind...)
	return pick
}

// previewLimit limits the time that a preview waits for the list of changed files.
const previewLimit = 2 * time.Second

// pointPreview returns the message of a point, below a list of the files that changed since then and can be
// restored.
func (d Deps) pointPreview(p history.Point) string {
	text := strings.TrimSpace(p.Message.Text())
	ctx, cancel := context.WithTimeout(context.Background(), previewLimit)
	defer cancel()
	plan, err := d.Past.PlanRewind(ctx, p.Seq)
	if err != nil || len(plan.Steps) == 0 {
		return text
	}
	lines := []string{humanize.Count(len(plan.Steps), "file") + " changed since:"}
	for i, step := range plan.Steps {
		if i == mostChanged {
			lines = append(lines, fmt.Sprintf("and %d more", len(plan.Steps)-i))
			break
		}
		lines = append(lines, fmt.Sprintf("%-7s %s", step.Does, step.Path))
	}
	return strings.Join(lines, "\n") + "\n\n" + text
}

// wentTo describes the position in the conversation after a rewind.
func wentTo(p history.Point) string {
	if p.IsEnd() {
		return "The conversation continues where you left it."
	}
	return fmt.Sprintf("The conversation is back to before “%s”. To return, type /rewind forward.", cutRight(pointText(p), ledgerWidth))
}
