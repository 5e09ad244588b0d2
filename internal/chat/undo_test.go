package chat

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agent/internal/history"
	"agent/internal/shell"
	"agent/internal/snapshot"
	"agent/internal/tools"
	"agent/internal/workspace"
)

// workbench is a bench whose tools work on real files with snapshots.
type workbench struct {
	*bench
	root string
}

func newWorkbench(t *testing.T, files map[string]string, turns ...answerFunc) workbench {
	t.Helper()
	b := workbench{newBench(t, turns...), t.TempDir()}
	if real, err := filepath.EvalSymlinks(b.root); err == nil {
		b.root = real
	}
	for name, content := range files {
		b.write(name, content)
	}
	w, err := workspace.New(b.root, "")
	if err != nil {
		t.Fatal(err)
	}
	store, err := snapshot.Open(snapshot.Options{
		Folder: filepath.Join(t.TempDir(), "s"), Workspace: w, Secret: func(string, string) bool { return false }, Now: time.Now,
	})
	if err != nil {
		t.Fatal(err)
	}
	jobs := shell.NewJobs(os.Environ(), nil)
	t.Cleanup(func() { jobs.Close(); _ = store.Close() })
	config := b.config
	config.Tools = tools.NewRegistry(defaultTools()...)
	config.Env = &tools.Env{Workspace: w, Seen: tools.NewSeenFiles(), Jobs: jobs, Snapshots: store}
	config.Root = b.root
	b.Chat = New(config)
	return b
}

func (b workbench) write(name, content string) {
	b.t.Helper()
	if err := os.WriteFile(filepath.Join(b.root, name), []byte(content), 0o644); err != nil {
		b.t.Fatal(err)
	}
}

func (b workbench) want(name, content string) {
	b.t.Helper()
	if got, _ := os.ReadFile(filepath.Join(b.root, name)); string(got) != content {
		b.t.Errorf("%s holds %q, want %q", name, got, content)
	}
}

// move plans and applies a step like /undo and /redo do.
func (b workbench) move(way snapshot.Operation) {
	b.t.Helper()
	b.serve(func(ctx context.Context) {
		plan, err := b.Past.PlanFiles(ctx, way)
		if err == nil {
			_, err = b.Past.ApplyFilePlan(ctx, plan)
		}
		if err != nil {
			b.t.Error(err)
		}
	})
}

// serve calls does while another goroutine serves the chat, like the screen does.
func (b workbench) serve(does func(context.Context)) {
	b.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan struct{})
	go func() { defer close(served); b.Chat.Run(ctx) }()
	does(ctx)
	cancel()
	<-served
}

// After undo, an undone write supersedes nothing, and content that it had pruned is restored. The
// model receives a note about it, and may edit the restored file again (D-48).
func TestD48Undo(t *testing.T) {
	t.Parallel()
	b := newWorkbench(t, map[string]string{"a.txt": "one\ntwo\n", "b.txt": "b\n"},
		calls("read_file", `{"file_path":"a.txt"}`),
		calls("replace", `{"file_path":"a.txt","old_string":"one","new_string":"1"}`, "write_file", `{"file_path":"new.txt","content":"n\n"}`),
		say("done"),
		calls("write_file", `{"file_path":"a.txt","content":"again\n"}`, "write_file", `{"file_path":"new.txt","content":"m\n"}`),
		say("done"))
	b.prompt("go")
	b.want("a.txt", "1\ntwo\n")
	if len(b.window.Ledger.Lines()) != 1 {
		t.Fatalf("pruned: %+v", b.window.Ledger.Lines())
	}
	b.move(snapshot.Undo)
	b.want("a.txt", "one\ntwo\n")
	if _, err := os.Stat(filepath.Join(b.root, "new.txt")); err == nil {
		t.Error("the new file is there")
	}
	undone := 0
	for _, entry := range b.config.History.RawHistory() {
		if entry.Metadata[history.MetaUndone] == true {
			undone++
		}
	}
	if undone != 2 {
		t.Errorf("%d writes are marked as undone", undone)
	}
	b.prompt("again")
	said := b.model.requests[3].History
	told := said[len(said)-2].Text()
	for _, want := range []string{"I undid the file changes", "a.txt: changed back, shown below", "new.txt: deleted", "--- a.txt ---\none\ntwo\n"} {
		if !strings.Contains(told, want) {
			t.Errorf("the model reads %q, without %q", told, want)
		}
	}
	// The model knows the content that it received, so it may write without a read.
	b.want("a.txt", "again\n")
	b.want("new.txt", "m\n")
	b.move(snapshot.Undo)
	b.want("a.txt", "one\ntwo\n")
	b.move(snapshot.Redo)
	b.want("a.txt", "again\n")
	for _, entry := range b.config.History.RawHistory() {
		if change, ok := entry.Metadata[history.MetaChange].(string); ok {
			if is := entry.Metadata[history.MetaUndone] == true; is != b.config.Env.Snapshots.IsUndone(snapshot.Mark(change)) {
				t.Errorf("change %s is marked as undone: %v", change, is)
			}
		}
	}
}

// A read before an undone write is not stale. A read before a write that was not undone is.
func TestD48UndoneWritePrunesNothing(t *testing.T) {
	t.Parallel()
	b := newWorkbench(t, map[string]string{"a.txt": "one\n"},
		calls("read_file", `{"file_path":"a.txt"}`), say("read"),
		calls("replace", `{"file_path":"a.txt","old_string":"one","new_string":"1"}`), say("done"), say("ok"))
	b.set("compression.density.readWritePruning", "false")
	b.prompt("read")
	b.prompt("write")
	b.move(snapshot.Undo)
	b.set("compression.density.readWritePruning", "true")
	b.prompt("and now")
	if pruned := b.window.Ledger.Lines(); len(pruned) > 0 {
		t.Errorf("pruned: %+v", pruned)
	}
}

// Undo also reverts changes by commands, including a command that the user typed, which is a
// separate turn.
func TestUndoOfShellCommands(t *testing.T) {
	t.Parallel()
	b := newWorkbench(t, map[string]string{"a.txt": "one\n", "b.txt": "b\n"},
		calls("run_shell_command", `{"command":"rm a.txt; echo x > made"}`), say("done"))
	b.prompt("go")
	ended := make(chan struct{})
	b.on = func(e Event) {
		if _, ok := e.(TurnEnded); ok {
			close(ended)
		}
	}
	b.serve(func(context.Context) { b.Shell("echo typed > b.txt", false); <-ended })
	b.on = nil
	b.want("b.txt", "typed\n")
	b.move(snapshot.Undo)
	b.want("b.txt", "b\n")
	b.want("made", "x\n")
	b.move(snapshot.Undo)
	b.want("a.txt", "one\n")
	b.want("made", "")
}

func TestNothingToUndo(t *testing.T) {
	t.Parallel()
	b := newWorkbench(t, nil, say("hello"))
	b.prompt("hi")
	b.serve(func(ctx context.Context) {
		for _, way := range []snapshot.Operation{snapshot.Undo, snapshot.Redo} {
			if _, err := b.Past.PlanFiles(ctx, way); !errors.Is(err, snapshot.ErrNoChanges) {
				t.Errorf("%s: %v", way, err)
			}
		}
	})
}

// If a command changed many files, the model receives some of their names, and always the names of
// files it has read.
func TestD48UndoOfManyFiles(t *testing.T) {
	t.Parallel()
	b := newWorkbench(t, map[string]string{"z.txt": "z\n"},
		calls("read_file", `{"file_path":"z.txt"}`),
		calls("replace", `{"file_path":"z.txt","old_string":"z","new_string":"Z"}`),
		calls("run_shell_command", `{"command":"for i in $(seq 1 200); do : > f$i; done"}`), say("done"), say("ok"))
	b.prompt("go")
	b.move(snapshot.Undo)
	b.prompt("and now")
	said := b.model.requests[4].History
	told := said[len(said)-2].Text()
	if names := strings.Count(told, "deleted"); names != 50 || !strings.Contains(told, "z.txt: changed back") || !strings.Contains(told, "and 150 files more") {
		t.Errorf("%d names in %q", names, told)
	}
}
