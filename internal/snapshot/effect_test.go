package snapshot_test

import (
	"context"
	"strings"
	"testing"
)

// D-99: the effect of a change on each file is shown as a diff, except for secret files. A
// hook that ran in parallel with a turn is reported when that turn is undone, and for no other turn.
func TestEffectsOfHooks(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]string{"a": "one\n", "gone": "x\n", "k.env": "KEY=1\n"})
	b.BeginTurn("first")
	settle := b.BeginCommand(t.Context())
	b.shell("echo two >> a; rm gone; echo new > made; echo KEY=2 > k.env; echo KEY=3 > new.env")
	effects := map[string]string{}
	for _, e := range b.Effects(context.Background(), settle()) {
		effects[e.Path] = e.Does
		if keys := strings.HasSuffix(e.Path, ".env"); (e.Diff == "") != keys || strings.Contains(e.Diff, "KEY") {
			t.Errorf("%s: %s", e.Path, e.Diff)
		}
		if e.Path == "a" && (!strings.Contains(e.Diff, "+two") || string(e.Content) != "one\ntwo\n") {
			t.Errorf("%s, %s", e.Diff, e.Content)
		}
	}
	if len(effects) != 5 || effects["a"] != "change" || effects["gone"] != "delete" || effects["made"] != "create" {
		t.Errorf("%v", effects)
	}
	b.RecordProgram("hook h")
	b.RecordProgram("hook h")
	b.open() // another run has the same information
	plan, err := b.PlanUndo(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	said := 0
	for _, problem := range plan.Left {
		if strings.Contains(problem.String(), "changes by hook h: it ran in parallel with the turn") {
			said++
		}
	}
	if said != 1 {
		t.Errorf("left %v", plan.Left)
	}
	b.BeginTurn("second")
	b.run("echo three >> a")
	if plan, err = b.PlanUndo(t.Context()); err != nil || len(plan.Left) > 0 {
		t.Errorf("left %v, %v", plan.Left, err)
	}
	if b.Effects(t.Context(), "") != nil || b.Effects(t.Context(), "other-1") != nil {
		t.Error("effects of nothing")
	}
}
