package slash_test

import (
	"errors"
	"strings"
	"testing"

	"agent/internal/history"
	"agent/internal/snapshot"
)

// threeMessages returns two messages of the current branch, and a message and the end of a branch
// that was left.
func threeMessages() []history.Point {
	return []history.Point{
		{Seq: 2, At: testTime, Message: history.HumanText("make x\nand y"), Turn: 1},
		{Seq: 7, At: testTime.AddDate(0, 0, -1), Message: history.HumanText("drop it"), Turn: 0},
		{Seq: 9, At: testTime, Last: history.HumanText("drop it")},
		{Seq: 12, At: testTime, Message: history.HumanText("keep it"), Turn: 2},
	}
}

// oneStep returns a plan that changes one file.
func oneStep() *snapshot.Plan {
	return &snapshot.Plan{Kind: snapshot.Restore, Steps: []snapshot.Step{{Path: "a.go", Does: "change", Diff: "diff --git a/a.go b/a.go\n"}}}
}

func TestRewind(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"/rewind 2": "rewind to 12", "/rewind r7": "rewind to 7", "/rewind R9": "rewind to 9", "/rewind forward": "rewind to 9",
		"/rewind 2 files": "rewind to 12, files true", "/rewind r12": "rewind to 12",
	} {
		w := newWorld(t)
		w.session.points, w.session.plan = threeMessages(), oneStep()
		w.run(t, line)
		if got := strings.Join(w.session.done, ","); got != want {
			t.Errorf("%s: did %q, want %q", line, got, want)
		}
	}
	w := newWorld(t)
	w.session.points, w.session.plan = threeMessages(), oneStep()
	out := w.run(t, "/rewind")
	want := `     when              message
 1  12:30             make x
r7  2026-11-20 12:30  drop it (other branch)
r9  12:30             the branch that you left, up to “drop it”
 2  12:30             keep it

To restore the context to before a message, type /rewind NUMBER.`
	if got := text(out); got != strings.Replace(want, "     when", "    when", 1) {
		t.Errorf("list\n%s", got)
	}
	var names []string
	for _, c := range out.Pick.Choices {
		names = append(names, c.Name+" > "+c.Line)
	}
	if got := strings.Join(names, "\n"); got != "keep it > /rewind 2\nmake x > /rewind 1\nthe branch that you left, up to “drop it” > /rewind r9\ndrop it > /rewind r7" {
		t.Errorf("choices\n%s", got)
	}
	if got := w.values("/rewind "); len(got) != 5 || got[0] != "2" || got[4] != "forward" {
		t.Errorf("completions %q", got)
	}
	if got := w.values("/rewind forward "); len(got) != 1 || got[0] != "files" {
		t.Errorf("completions of forward %q", got)
	}
	w.refused(t, "/rewind 3", "use 1 to 2")
	w.refused(t, "/rewind x", "no message")
	w.refused(t, "/rewind 2 folders", "To restore the files too")
	w.session.points = w.session.points[:1]
	w.refused(t, "/rewind forward", "there is no rewind to undo")
	w.session.points = nil
	for _, line := range []string{"/rewind", "/rewind 1", "/rewind forward"} {
		if got := text(w.run(t, line)); !strings.Contains(got, "No earlier message") {
			t.Errorf("%s without messages %q", line, got)
		}
	}
	w.session.err = errors.New("this session is not recorded, so it can't be renamed or forked")
	if out, err := w.Run(t.Context(), "/rewind"); err == nil || len(out.Lines) > 0 {
		t.Errorf("a record that cannot be read says %q, %v", out.Lines, err)
	}
}

// After a rewind, the reply offers to restore the files too, if that is possible and would change
// any.
func TestRewindOffersToRestoreFiles(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.session.points, w.session.plan = threeMessages(), oneStep()
	out := w.run(t, "/rewind 2")
	if got := text(out); !strings.Contains(got, "back to before “keep it”") || !strings.Contains(got, "To restore 1 file too, type /rewind r12 files.") {
		t.Errorf("told %q", got)
	}
	if ask := out.Ask; ask == nil || ask.YesCommand != "/rewind r12 files" || len(ask.Parts) != 1 || len(ask.Done) != 1 || !strings.Contains(ask.Done[0], "keep it") {
		t.Errorf("asked %+v", ask)
	}
	for _, c := range []struct {
		line, want string
		plan       *snapshot.Plan
		err        error
	}{
		{"/rewind 2", "No file changed since then.", &snapshot.Plan{}, nil},
		{"/rewind 2", "The files are not restored, because that would overwrite later changes by others: b.go: it was deleted", &snapshot.Plan{Refused: []snapshot.Problem{{Path: "b.go", Why: "it was deleted"}}}, nil},
		{"/rewind 2", "The files are not restored: it was not stored.", nil, errors.New("it was not stored")},
		{"/rewind r9", "Files are unchanged.", oneStep(), nil},
		{"/rewind 2 files", "No file changed since then.", oneStep(), nil},
	} {
		w.session.plan, w.session.planErr = c.plan, c.err
		if out := w.run(t, c.line); !strings.Contains(text(out), c.want) || out.Ask != nil {
			t.Errorf("%s: %q, asked %+v", c.line, text(out), out.Ask)
		}
	}
}

// The list of messages shows which files changed after each message.
func TestRewindListShowsFiles(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.session.points, w.session.plan = threeMessages(), oneStep()
	choice := w.run(t, "/rewind").Pick.Choices[0]
	step := oneStep().Steps[0]
	if got := choice.Preview(); !strings.HasPrefix(got, "1 file changed since:\n"+step.Does) || !strings.Contains(got, step.Path+"\n\n") {
		t.Errorf("it shows %q", got)
	}
	w.session.plan, w.session.planErr = nil, errors.New("it was not stored")
	if got := choice.Preview(); strings.Contains(got, "changed since") || got == "" {
		t.Errorf("where nothing is known of files it shows %q", got)
	}
}
