package slash_test

import (
	"slices"
	"strings"
	"testing"

	"agent/internal/snapshot"
)

// D-85: an undo performs exactly the plan that was shown, once, and only through the command that
// showed it.
func TestUndoPerformsTheShownPlan(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.session.plan = &snapshot.Plan{
		Kind: snapshot.Undo, Title: "make x",
		Steps: []snapshot.Step{{Path: "a.go", Does: "change", Diff: "diff --git a/a.go b/a.go\n"}},
		Left:  []snapshot.Problem{{Path: ".env", Why: "it may hold secrets"}},
	}
	w.session.changed = []snapshot.ChangedFile{{Path: "a.go", Does: "change"}}
	out := w.run(t, "/undo")
	for _, want := range []string{"undo the changes of “make x” to 1 file:", "change  a.go", "not restored: .env: it may hold secrets", "To undo this, type /undo yes"} {
		if !strings.Contains(text(out), want) {
			t.Errorf("%q lacks %q", text(out), want)
		}
	}
	if out.Diff == "" || out.Ask == nil || out.Ask.YesCommand != "/undo yes" || len(out.Ask.Parts) != 2 {
		t.Errorf("%+v", out)
	}
	if done := text(w.run(t, "/undo yes")); !strings.Contains(done, "Undone: 1 file") || !strings.Contains(done, "type /redo") {
		t.Error(done)
	}
	w.run(t, "/undo yes")
	w.run(t, "/undo")
	w.run(t, "/redo yes")
	if want := []string{"plan undo", "move undo", "plan undo", "move undo", "plan undo", "plan redo", "move undo"}; !slices.Equal(w.session.done, want) {
		t.Errorf("done %q, want %q", w.session.done, want)
	}
	w.session.changed = make([]snapshot.ChangedFile, 1000)
	if lines := w.run(t, "/undo yes").Lines; len(lines) > 25 || !slices.Contains(lines, "  and 980 files more") {
		t.Errorf("many files: %q", lines)
	}
	w.session.plan.Steps, w.session.plan.Left, w.session.changed = nil, nil, nil
	if out := w.run(t, "/undo"); out.Ask != nil || text(out) != "Undone: the changes of “make x”. The files already had this content.\nTo revert this, type /redo." {
		t.Errorf("nothing to see: %q, %+v", text(out), out.Ask)
	}
	w.refused(t, "/undo now", `unknown argument "now"; /undo takes yes`)
	w.session.plan.Refused = []snapshot.Problem{{Path: "b.go", Why: "changed since by another program"}}
	w.refused(t, "/undo", "nothing changed: later changes by other programs would be lost: b.go: changed since")
	w.session.err = snapshot.ErrNoChanges
	w.refused(t, "/undo", "nothing to undo")
	w.refused(t, "/redo", "nothing to redo")
}
