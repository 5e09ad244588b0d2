package snapshot_test

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"agent/internal/base/fsutil"
	"agent/internal/snapshot"
	"agent/internal/testing/fifo"
	"agent/internal/workspace"
)

// A flipped byte in a stored content is detected by its hash. Its file is left unchanged and
// reported, and the other files are undone.
func TestDamagedContent(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]string{"a": "sentinel a\n", "b": "sentinel b\n"})
	b.BeginTurn("1")
	b.edit("a", "1")
	b.edit("b", "1")
	b.damage("sentinel a")
	plan := b.planned(b.PlanUndo(t.Context()))
	if len(plan.Left) != 1 || !strings.Contains(plan.Left[0].String(), "a: its stored content is damaged") {
		t.Errorf("left: %v", plan.Left)
	}
	b.apply(plan, nil)
	for name, want := range map[string]string{"a": "1", "b": "sentinel b\n"} {
		if got, _ := os.ReadFile(b.path(name)); string(got) != want {
			t.Errorf("%s holds %q, want %q", name, got, want)
		}
	}
}

// damage flips a byte in each file of the store that contains a text.
func (b *bench) damage(text string) {
	b.t.Helper()
	damaged := false
	err := filepath.WalkDir(b.folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if at := bytes.Index(data, []byte(text)); at >= 0 {
			damaged = true
			data[at] ^= 1
			return os.WriteFile(path, data, 0o600)
		}
		return err
	})
	if err != nil || !damaged {
		b.t.Fatalf("nothing was damaged: %v", err)
	}
}

// A damaged line of the journal is ignored. Later changes can be undone. Earlier ones cannot, which
// is reported. An incomplete last line is dropped.
func TestDamagedJournal(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]string{"a": "0"})
	for _, content := range []string{"1", "2", "3"} {
		b.BeginTurn("turn " + content)
		b.edit("a", content)
	}
	b.close()
	b.damage("turn 2")
	journal, err := os.OpenFile(filepath.Join(b.folder, "journal"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := journal.WriteString(`01234567 {"node":{"n":9,"up":3`); err != nil {
		t.Fatal(err)
	}
	journal.Close()
	b.Store = nil
	b.open()
	if told := strings.Join(b.Warnings(), "\n"); !strings.Contains(told, "can't read 1 line of the undo store") {
		t.Errorf("told: %q", told)
	}
	b.undo()
	if got, _ := os.ReadFile(b.path("a")); string(got) != "2" {
		t.Errorf("a holds %q", got)
	}
	if _, err := b.PlanUndo(t.Context()); !errors.Is(err, snapshot.ErrNoChanges) {
		t.Errorf("past the damage: %v", err)
	}
	b.BeginTurn("4")
	b.edit("a", "4")
	b.open()
	b.undo()
	if got, _ := os.ReadFile(b.path("a")); string(got) != "2" {
		t.Errorf("after the torn line: a holds %q", got)
	}
}

// If the store of a running session is deleted, the session reports that later edits cannot be
// undone.
func TestRemovedStore(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]string{"a": "0"})
	b.BeginTurn("one")
	b.edit("a", "1")
	if err := os.RemoveAll(b.folder); err != nil {
		t.Skip("this system keeps open files in their place: ", err)
	}
	b.BeginTurn("two")
	b.edit("a", "2")
	b.edit("a", "3")
	if told := b.Warnings(); len(told) != 1 || !strings.Contains(told[0], "/undo can't restore it: another program has removed or replaced") {
		t.Errorf("told: %q", told)
	}
}

// If the program is killed between two files, the next start reports it. /undo finishes the work
// and /redo reverts it.
func TestKilledBetweenFiles(t *testing.T) {
	t.Parallel()
	for _, finish := range []bool{true, false} {
		b := newBench(t, map[string]string{"a": "0", "b": "0", "c": "0"})
		start := b.contents()
		b.BeginTurn("1")
		for _, name := range []string{"a", "b", "c", "new"} {
			b.edit(name, "1")
		}
		end := b.contents()
		b.undo()
		b.close()
		b.Store = nil
		// The state on disk after two of four files.
		b.cutJournal()
		b.write("b", "1")
		b.write("c", "1")
		b.open()
		if told := strings.Join(b.Warnings(), "\n"); !strings.Contains(told, "To finish, type /undo. To revert, type /redo.") {
			t.Errorf("told: %q", told)
		}
		if finish {
			b.undo()
			b.want(start)
			b.redo()
			b.want(end)
		} else {
			b.redo()
			b.want(end)
			b.undo()
			b.want(start)
		}
	}
}

// After a killed undo, a rewind to any point knows the files that the undo had restored. They do
// not count as changes of another program.
func TestRewindAfterAKilledUndo(t *testing.T) {
	t.Parallel()
	for to := range 3 {
		b := newBench(t, map[string]string{"a": "0", "b": "0", "c": "0"})
		states, marks := []string{b.contents()}, []snapshot.Mark{b.Mark()}
		for _, turn := range []struct {
			content string
			files   []string
		}{{"1", []string{"a", "b"}}, {"2", []string{"a", "b", "c"}}} {
			b.BeginTurn(turn.content)
			for _, name := range turn.files {
				b.edit(name, turn.content)
			}
			states, marks = append(states, b.contents()), append(marks, b.Mark())
		}
		b.undo()
		b.close()
		b.Store = nil
		b.cutJournal()
		b.write("c", "2") // a and b were restored, c was not
		b.open()
		b.apply(b.PlanRestore(t.Context(), marks[to]))
		b.want(states[to])
		if to < 2 {
			b.redo()
		}
		b.want(states[2])
	}
}

// A change of files after a killed undo or redo starts from the partial result. Earlier turns can
// be undone, and no file counts as changed by another program.
func TestWorkAfterAKilledUndo(t *testing.T) {
	t.Parallel()
	for _, by := range []string{"edit of one put back", "edit of one not put back", "edit of another", "command"} {
		for _, way := range []string{"undo", "redo"} {
			b := newBench(t, map[string]string{"a": "0", "b": "0", "c": "0"})
			states := []string{b.contents()}
			for _, content := range []string{"1", "2"} {
				b.BeginTurn(content)
				for _, name := range []string{"a", "b", "c", "new/" + content} {
					b.edit(name, content)
				}
				states = append(states, b.contents())
			}
			b.undo()
			if way == "redo" {
				b.redo()
			}
			b.close()
			b.Store = nil
			b.cutJournal() // two of the four files were done
			b.write("a", "1")
			b.write("b", "2")
			b.write("c", "1")
			b.write("new/2", "2")
			b.open()
			b.BeginTurn("3")
			half := b.contents()
			switch by {
			case "edit of one put back":
				b.edit("a", "3")
			case "edit of one not put back":
				b.edit("b", "3")
			case "edit of another":
				b.edit("d", "3")
			default:
				b.run("ls")
				b.run("echo 3 > c; rm -r new")
			}
			end := b.contents()
			b.open()
			b.undo()
			b.want(half)
			for _, state := range []string{states[1], states[0]} {
				b.undo()
				b.want(state)
			}
			for _, state := range []string{states[1], half, end} {
				b.redo()
				b.want(state)
			}
			if t.Failed() {
				t.Fatal(by, way)
			}
		}
	}
}

// cutJournal removes the last line of the journal.
func (b *bench) cutJournal() {
	b.t.Helper()
	path := filepath.Join(b.folder, "journal")
	data, err := os.ReadFile(path)
	if err == nil {
		lines := bytes.SplitAfter(data, []byte("\n"))
		err = os.WriteFile(path, bytes.Join(lines[:len(lines)-2], nil), 0o600)
	}
	if err != nil {
		b.t.Fatal(err)
	}
}

// If a step fails, the steps before it are reverted.
func TestFailureInTheMiddle(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]string{"a": "0", "z": "0"})
	b.BeginTurn("1")
	b.edit("a", "1")
	b.edit("z", "1")
	b.edit("made/c", "1")
	was := b.contents()
	open, err := os.OpenFile(b.path("z"), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = b.Apply(b.planned(b.PlanUndo(t.Context())))
	open.Close()
	if err == nil {
		t.Skip("this system does not say who has a file open")
	}
	if !strings.Contains(err.Error(), "can't write z") {
		t.Errorf("%v", err)
	}
	b.want(was)
	b.undo()
	if got, _ := os.ReadFile(b.path("z")); string(got) != "0" {
		t.Errorf("z holds %q", got)
	}
}

// If nothing can be stored, an edit still works, and a single warning is printed.
func TestStoreThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]string{"a": "0"})
	if err := os.MkdirAll(filepath.Dir(filepath.Dir(b.folder)), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Dir(b.folder), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	b.BeginTurn("1")
	b.edit("a", "1")
	b.run("echo 2 > a")
	b.edit("b", "1")
	if told := b.Warnings(); len(told) != 1 || !strings.Contains(told[0], "/undo can't restore it") {
		t.Errorf("told: %q", told)
	}
	if _, err := b.PlanUndo(t.Context()); !errors.Is(err, snapshot.ErrNoChanges) {
		t.Errorf("%v", err)
	}
}

// Of two programs in one workspace, each undoes only its own changes.
func TestTwoPrograms(t *testing.T) {
	t.Parallel()
	one := newBench(t, map[string]string{"a": "0", "b": "0"})
	other := &bench{t: t, w: one.w, folder: filepath.Join(t.TempDir(), "s2")}
	other.open()
	one.BeginTurn("1")
	one.edit("a", "one")
	other.BeginTurn("1")
	other.edit("b", "other")
	one.undo()
	other.undo()
	one.redo()
	other.BeginTurn("2")
	other.edit("a", "other")
	if plan := one.planned(one.PlanUndo(t.Context())); len(plan.Refused) != 1 {
		t.Errorf("refused: %v", plan.Refused)
	}
	same := &bench{t: t, w: one.w, folder: one.folder}
	same.open()
	same.edit("b", "same")
	if told := strings.Join(same.Warnings(), ""); !strings.Contains(told, "another program has the undo store open") {
		t.Errorf("told %q", told)
	}
}

// A workspace that was moved keeps its changes. Another workspace has no access to them.
func TestMovedWorkspace(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]string{"a": "0"})
	b.BeginTurn("1")
	b.edit("a", "1")
	old, moved := b.w.Root(), b.w.Root()+"-moved"
	b.close()
	b.Store = nil
	in := func(root string) {
		var err error
		if b.w, err = workspace.New(root, ""); err != nil {
			t.Fatal(err)
		}
		b.open()
	}
	if err := os.Mkdir(moved, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(moved, "a"), []byte("1"), 0o644); err != nil {
		t.Fatal(err)
	}
	in(moved)
	if _, err := b.PlanUndo(t.Context()); err == nil || !strings.Contains(err.Error(), "were made in "+old) {
		t.Errorf("in a copy: %v", err)
	}
	if err := os.RemoveAll(old); err != nil {
		t.Fatal(err)
	}
	in(moved)
	b.undo()
	if got, _ := os.ReadFile(b.path("a")); string(got) != "0" {
		t.Errorf("a holds %q", got)
	}
}

// A store is removed with its session or after a time, but not while it is in use.
func TestSweep(t *testing.T) {
	t.Parallel()
	folder, now := t.TempDir(), time.Now()
	for name, age := range map[string]time.Duration{"lives": time.Hour * 48, "gone": time.Hour * 48, "old": 60 * 24 * time.Hour} {
		path := filepath.Join(folder, name, "objects")
		if err := os.MkdirAll(path, 0o700); err != nil {
			t.Fatal(err)
		}
		for _, p := range []string{path, filepath.Dir(path)} {
			if err := os.Chtimes(p, now.Add(-age), now.Add(-age)); err != nil {
				t.Fatal(err)
			}
		}
	}
	b := &bench{t: t, folder: filepath.Join(folder, "used")}
	var err error
	if b.w, err = workspace.New(t.TempDir(), ""); err != nil {
		t.Fatal(err)
	}
	b.open()
	b.edit("a", "1")
	left := func() string {
		stores, _ := filepath.Glob(filepath.Join(folder, "[a-z]*"))
		for i := range stores {
			stores[i] = filepath.Base(stores[i])
		}
		return strings.Join(stores, " ")
	}
	keeps := func(ids ...string) func(string) bool {
		return func(id string) bool { return slices.Contains(ids, id) }
	}
	snapshot.Sweep(folder, now.Add(2*time.Hour), keeps("lives", "old"))
	if got := left(); got != "lives used" {
		t.Errorf("left: %s", got)
	}
	snapshot.Sweep(folder, now.Add(2*time.Hour+59*time.Minute), keeps())
	if got := left(); got != "lives used" {
		t.Errorf("left by a second sweep within an hour: %s", got)
	}
	snapshot.Sweep(folder, now.Add(3*time.Hour), keeps())
	if got := left(); got != "used" {
		t.Errorf("left by a sweep an hour later: %s", got)
	}
	if err := snapshot.Remove(b.folder); err == nil {
		t.Error("a store in use was removed")
	}
	b.close()
	if err := errors.Join(snapshot.Remove(b.folder), snapshot.Remove(b.folder)); err != nil {
		t.Error(err)
	}
}

// A forked session keeps the stored changes. Parent and fork do not affect each other.
func TestFork(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]string{"a": "0"})
	at := b.Mark()
	b.BeginTurn("1")
	b.edit("a", "1")
	parent := b.folder
	b.folder = filepath.Join(filepath.Dir(parent), "s2")
	b.fork()
	other := &bench{t: t, w: b.w, folder: parent}
	other.open()
	other.apply(other.PlanRestore(t.Context(), at))
	other.redo()
	b.BeginTurn("2")
	b.edit("a", "2")
	b.open()
	b.apply(b.PlanRestore(t.Context(), at))
	if got, _ := os.ReadFile(b.path("a")); string(got) != "0" {
		t.Errorf("a holds %q", got)
	}
	if err := snapshot.Copy(filepath.Join(parent, "none"), filepath.Join(parent, "x")); err != nil {
		t.Error(err)
	}
}

// If the store belongs to another running program, a fork includes the later changes of that
// program. Changes of the fork are not attributed to that program.
func TestForkOfAStoreInUse(t *testing.T) {
	t.Parallel()
	theirs := newBench(t, map[string]string{"a": "0"})
	theirs.BeginTurn("1")
	theirs.edit("a", "1")
	ours := &bench{t: t, w: theirs.w, folder: theirs.folder}
	ours.open()
	theirs.BeginTurn("2")
	theirs.edit("a", "2")
	ours.folder = filepath.Join(filepath.Dir(theirs.folder), "s2")
	ours.fork()
	ours.BeginTurn("3")
	ours.edit("a", "3")
	ours.open()
	for _, want := range []string{"2", "1", "0"} {
		ours.undo()
		if got, _ := os.ReadFile(ours.path("a")); string(got) != want {
			t.Fatalf("a holds %q, want %q", got, want)
		}
	}
}

// If a fork cannot have a store, it fails: the store continues unchanged, and nothing of the fork
// is left.
func TestForkFails(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]string{"a": "0"})
	b.BeginTurn("1")
	b.edit("a", "1")
	taken := filepath.Join(filepath.Dir(b.folder), "taken")
	if err := os.WriteFile(taken, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := b.Fork(filepath.Join(taken, "s2")); err == nil || !strings.Contains(err.Error(), "can't copy the undo store: ") {
		t.Errorf("%v", err)
	}
	journal := filepath.Join(b.folder, "journal")
	kept, err := os.ReadFile(journal)
	if err == nil {
		newer := []byte(`{"head":{"v":9,"id":"newer"}}`)
		line := fmt.Appendf(nil, "%08x %s\n", crc32.Checksum(newer, crc32.MakeTable(crc32.Castagnoli)), newer)
		err = os.WriteFile(journal, line, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(filepath.Dir(b.folder), "s3")
	if err := b.Fork(other); err == nil {
		t.Error("a journal of a newer version was forked")
	}
	if _, err := os.Lstat(other); err == nil {
		t.Error("the store of the fork that failed was left")
	}
	if err := os.WriteFile(journal, kept, 0o600); err != nil {
		t.Fatal(err)
	}
	b.edit("a", "2")
	b.open()
	b.undo()
	if got, _ := os.ReadFile(b.path("a")); string(got) != "0" {
		t.Errorf("a holds %q", got)
	}
}

// On a file system without hard links, a fork has copies of the contents.
func TestForkWithoutLinks(t *testing.T) {
	t.Parallel()
	far, err := os.MkdirTemp("/dev/shm", "snapshot-")
	if err != nil {
		t.Skip("there is no other file system to write to")
	}
	t.Cleanup(func() { _ = os.RemoveAll(far) })
	b := newBench(t, map[string]string{"a": "0"})
	b.BeginTurn("1")
	b.edit("a", "1")
	b.folder = filepath.Join(far, "s2")
	b.fork()
	b.open()
	b.undo()
	if got, _ := os.ReadFile(b.path("a")); string(got) != "0" {
		t.Errorf("a holds %q", got)
	}
}

// A device, a pipe or a huge file in place of the journal is not read, and opening the store does
// not wait for it.
func TestAJournalThatIsNoFile(t *testing.T) {
	t.Parallel()
	for name, make := range map[string]func(path string) error{
		"device": func(path string) error { return os.Symlink("/dev/zero", path) },
		"pipe":   func(path string) error { return fifo.Make(t, path) },
		"huge": func(path string) error {
			return errors.Join(os.WriteFile(path, nil, 0o600), os.Truncate(path, 10<<30))
		},
	} {
		b := newBench(t, map[string]string{"a": "0"})
		b.BeginTurn("1")
		b.edit("a", "1")
		b.close()
		journal := filepath.Join(b.folder, "journal")
		if err := errors.Join(os.Remove(journal), make(journal)); err != nil {
			t.Fatal(err)
		}
		if _, err := snapshot.Open(snapshot.Options{Folder: b.folder, Workspace: b.w}); !errors.Is(err, fsutil.ErrNoFile) && !errors.Is(err, fsutil.ErrTooLarge) || !strings.Contains(err.Error(), journal) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
