package snapshot_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agent/internal/snapshot"
	"agent/internal/testing/require"
)

// Several undos in a row restore the original files, and redos the final files, also after a
// restart of the program.
func TestUndoAndRedoOfSeveralTurns(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]string{"a": "one\n", "sub/b": "b\n"})
	states := []string{b.contents()}
	turn := func(does func()) {
		b.BeginTurn("turn")
		does()
		states = append(states, b.contents())
	}
	turn(func() { b.edit("a", "two\n"); b.edit("a", "three\n") })
	turn(func() { b.edit("new/deep/c", "c\n"); b.edit("sub/b", "") })
	b.BeginTurn("looks only")
	turn(func() { b.edit("new/deep/d", "d\n"); b.edit("a", "four\n") })
	for i := len(states) - 2; i >= 0; i-- {
		b.undo()
		b.want(states[i])
		if i == 1 {
			b.open()
		}
	}
	if _, err := b.PlanUndo(t.Context()); !errors.Is(err, snapshot.ErrNoChanges) {
		t.Errorf("an undo too many: %v", err)
	}
	for _, state := range states[1:] {
		b.open()
		b.redo()
		b.want(state)
	}
	if _, err := b.PlanRedo(t.Context()); !errors.Is(err, snapshot.ErrNoChanges) {
		t.Errorf("a redo too many: %v", err)
	}
}

// A change after an undo discards the redo. The undone turn does not prevent further undos.
func TestChangeAfterUndo(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]string{"a": "0"})
	b.BeginTurn("1")
	b.edit("a", "1")
	b.BeginTurn("2")
	b.edit("a", "2")
	b.undo()
	b.BeginTurn("3")
	b.edit("a", "3")
	if _, err := b.PlanRedo(t.Context()); !errors.Is(err, snapshot.ErrNoChanges) {
		t.Errorf("redo: %v", err)
	}
	for _, want := range []string{"1", "0"} {
		b.undo()
		if got, _ := os.ReadFile(b.path("a")); string(got) != want {
			t.Errorf("a holds %q, want %q", got, want)
		}
	}
}

// A rewind goes back to a mark and forward again, also across turns that were undone.
func TestRestoreToMarks(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]string{"a": "0"})
	type moment struct {
		mark  snapshot.Mark
		state string
	}
	var moments []moment
	note := func() { moments = append(moments, moment{b.Mark(), b.contents()}) }
	note()
	b.BeginTurn("1")
	b.edit("a", "1")
	note()
	b.BeginTurn("2")
	b.edit("b", "2")
	note()
	b.undo()
	b.BeginTurn("3")
	b.edit("a", "3")
	b.edit("c", "3")
	note()
	for _, at := range []int{0, 3, 2, 1, 3, 0, 2} {
		b.open()
		b.apply(b.PlanRestore(t.Context(), moments[at].mark))
		b.want(moments[at].state)
	}
	if _, err := b.PlanRestore(t.Context(), "other-1"); err == nil {
		t.Error("a mark of another store was taken")
	}
	if _, err := b.PlanRestore(t.Context(), ""); err == nil {
		t.Error("no mark was taken")
	}
}

// Rewinds are reverted one by one, the latest first, like undos and mixed with them. A rewind that
// changes nothing does not count.
func TestRedoOfSeveralRewinds(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]string{"a": "0"})
	states, marks := []string{b.contents()}, []snapshot.Mark{b.Mark()}
	for _, content := range []string{"1", "2", "3", "4"} {
		b.BeginTurn(content)
		b.edit("a", content)
		states, marks = append(states, b.contents()), append(marks, b.Mark())
	}
	b.undo()
	b.apply(b.PlanRestore(t.Context(), marks[2]))
	b.apply(b.PlanRestore(t.Context(), marks[2]))
	b.open()
	b.apply(b.PlanRestore(t.Context(), marks[0]))
	b.want(states[0])
	for _, at := range []int{2, 3, 4} {
		b.redo()
		b.want(states[at])
		b.open()
	}
	if _, err := b.PlanRedo(t.Context()); !errors.Is(err, snapshot.ErrNoChanges) {
		t.Errorf("a redo too many: %v", err)
	}
}

// A link that points to itself, in place of a folder, contains no files.
func TestLoopInTheWayIsUndone(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]string{"x/y/z": "0"})
	was := b.contents()
	b.BeginTurn("1")
	settle := b.BeginCommand(t.Context())
	_ = os.RemoveAll(b.path("x/y"))
	_ = os.Symlink("y", b.path("x/y"))
	settle()
	now := b.contents()
	b.undo()
	b.want(was)
	b.redo()
	b.want(now)
}

// D-85: if another program changed, deleted or created a file, the error names it and no file is
// changed.
func TestForeignChangeRefusesTheWholePlan(t *testing.T) {
	t.Parallel()
	for name, other := range map[string]func(b *bench){
		"changed":      func(b *bench) { b.write("a", "theirs") },
		"deleted":      func(b *bench) { _ = os.Remove(b.path("a")) },
		"mode":         func(b *bench) { _ = os.Chmod(b.path("a"), 0o600) },
		"a folder now": func(b *bench) { _ = os.Remove(b.path("a")); _ = os.Mkdir(b.path("a"), 0o755) },
		"a link now":   func(b *bench) { _ = os.Remove(b.path("a")); _ = os.Symlink("b", b.path("a")) },
		"created file changed": func(b *bench) {
			b.write("made/c", "theirs")
		},
		"folder is a link": func(b *bench) {
			_ = os.Rename(b.path("made"), b.path("elsewhere"))
			_ = os.Symlink("elsewhere", b.path("made"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if strings.Contains(name, "link") {
				require.Link(t, "nowhere", filepath.Join(t.TempDir(), "link"))
			}
			if name == "mode" {
				require.Permissions(t)
			}
			b := newBench(t, map[string]string{"a": "0", "b": "0"})
			b.BeginTurn("1")
			b.edit("a", "1")
			b.edit("b", "1")
			b.edit("made/c", "1")
			shown := b.planned(b.PlanUndo(t.Context()))
			other(b)
			was := b.contents()
			plan := b.planned(b.PlanUndo(t.Context()))
			if len(plan.Refused) != 1 {
				t.Errorf("refused: %v", plan.Refused)
			}
			for _, p := range []*snapshot.Plan{shown, plan} {
				var refused *snapshot.RefusedError
				if _, err := b.Apply(p); !errors.As(err, &refused) || !strings.Contains(err.Error(), "nothing changed") {
					t.Errorf("%v", err)
				}
			}
			b.want(was)
		})
	}
}

// If an undo fails, its finished steps are reverted. Files that another program wrote meanwhile
// stay and are reported.
func TestFailedUndoRevertsItsSteps(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]string{"done": "0", "not yet": "0", "theirs": "0", "made/it": "0"})
	b.BeginTurn("1")
	for _, name := range []string{"done", "not yet", "theirs"} {
		b.edit(name, "1")
	}
	b.run("rm -r made")
	plan := b.planned(b.PlanUndo(t.Context()))
	b.write("done", "0")
	b.write("made/it", "0")
	b.write("theirs", "2")
	err := b.GoBack(plan)
	if err == nil || !strings.Contains(err.Error(), "can't restore theirs: ") || strings.Contains(err.Error(), "done") {
		t.Errorf("error %v", err)
	}
	for name, want := range map[string]string{"done": "1", "not yet": "1", "theirs": "2"} {
		if got, _ := os.ReadFile(b.path(name)); string(got) != want {
			t.Errorf("%s holds %q, want %q", name, got, want)
		}
	}
	if _, err := os.Lstat(b.path("made/it")); err == nil {
		t.Error("a file that was brought back is still there")
	}
}

// The store names a turn by its message, without the API keys in the message.
func TestTitlesHaveNoKeys(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]string{"a": "0"})
	b.BeginTurn("use ghp_0123456789abcdefABCDEF0123 here")
	b.edit("a", "1")
	if plan := b.planned(b.PlanUndo(t.Context())); plan.Title != "use [key] here" {
		t.Errorf("title %q", plan.Title)
	}
}
