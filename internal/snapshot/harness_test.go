package snapshot_test

import (
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agent/internal/snapshot"
	"agent/internal/workspace"
)

// TestMain limits the sessions of a property test: each writes its files to the disk many times.
func TestMain(m *testing.M) {
	_ = flag.Set("rapid.checks", "40") // -rapid.checks sets a higher number
	os.Exit(m.Run())
}

// bench is a workspace with a store. Its methods change files in several ways.
type bench struct {
	t testing.TB
	*snapshot.Store
	folder string
	w      *workspace.Workspace
}

func newBench(t testing.TB, files map[string]string) *bench {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t, folder: filepath.Join(t.TempDir(), "state", "snapshots", "s1")}
	if b.w, err = workspace.New(root, ""); err != nil {
		t.Fatal(err)
	}
	for name, content := range files {
		b.write(name, content)
	}
	b.open()
	return b
}

// open opens the store as another run of the program does.
func (b *bench) open() {
	b.t.Helper()
	b.close()
	store, err := snapshot.Open(snapshot.Options{
		Folder: b.folder, Workspace: b.w,
		Secret: func(_, rel string) bool { return strings.HasSuffix(rel, ".env") },
		Now:    time.Now,
	})
	if err != nil {
		b.t.Fatal(err)
	}
	b.Store = store
	b.t.Cleanup(func() { _ = store.Close() })
}

func (b *bench) close() {
	if b.Store == nil {
		return
	}
	if err := b.Close(); err != nil {
		b.t.Fatal(err)
	}
}

// fork continues the store in the folder of b.
func (b *bench) fork() {
	b.t.Helper()
	if err := b.Store.Fork(b.folder); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) path(name string) string { return filepath.Join(b.w.Root(), name) }

// write writes a file as another program does.
func (b *bench) write(name, content string) {
	b.t.Helper()
	if err := os.MkdirAll(filepath.Dir(b.path(name)), 0o755); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(b.path(name), []byte(content), 0o644); err != nil {
		b.t.Fatal(err)
	}
}

// edit writes a file as a tool does.
func (b *bench) edit(name, content string) snapshot.Mark {
	b.t.Helper()
	before, err := os.ReadFile(b.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		before = nil
	} else if before == nil {
		before = []byte{}
	}
	mark, failed := b.BeginEdit(snapshot.FileEdit{Abs: b.path(name), Before: before, After: []byte(content)})
	if err := b.w.Replace(b.path(name), before, []byte(content)); err != nil {
		failed()
		b.t.Fatal(err)
	}
	return mark
}

// planned returns a plan that must exist without an error.
func (b *bench) planned(plan *snapshot.Plan, err error) *snapshot.Plan {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
	return plan
}

// apply applies a plan, which must succeed.
func (b *bench) apply(plan *snapshot.Plan, err error) []snapshot.ChangedFile {
	b.t.Helper()
	changed, err := b.Apply(b.planned(plan, err))
	if err != nil {
		b.t.Fatal(err)
	}
	return changed
}

func (b *bench) undo() []snapshot.ChangedFile {
	b.t.Helper()
	return b.apply(b.PlanUndo(b.t.Context()))
}

func (b *bench) redo() []snapshot.ChangedFile {
	b.t.Helper()
	return b.apply(b.PlanRedo(b.t.Context()))
}

// contents lists all files and folders of the workspace with mode and content.
func (b *bench) contents() string { b.t.Helper(); return b.list(true) }

// files lists all files of the workspace without folders.
func (b *bench) files() string { b.t.Helper(); return b.list(false) }

func (b *bench) list(folders bool) string {
	b.t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(b.w.Root(), func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.Name() == ".git" {
			return fs.SkipDir
		}
		if entry.IsDir() && !folders {
			return nil
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		all.WriteString(b.w.Rel(path) + " " + info.Mode().String())
		switch {
		case info.Mode().IsRegular():
			content, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			all.WriteString(" " + string(content))
		case info.Mode()&fs.ModeSymlink != 0:
			leads, _ := os.Readlink(path)
			all.WriteString(" -> " + leads)
		}
		all.WriteByte('\n')
		return nil
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return all.String()
}

func (b *bench) want(was string) {
	b.t.Helper()
	if is := b.contents(); is != was {
		b.t.Errorf("the workspace holds\n%s\nwant\n%s", is, was)
	}
}
