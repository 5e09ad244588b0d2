package workspace

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"agent/internal/base/fsutil"
)

func TestReplaceCreatesFoldersAndHeedsUmask(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, nil)
	path := filepath.Join(w.Root(), "a/b/c.txt")
	if err := w.Replace(path, nil, []byte("x")); err != nil {
		t.Fatal(err)
	}
	plain := filepath.Join(w.Root(), "plain")
	f, err := os.Create(plain)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	got, _ := os.Stat(path)
	want, _ := os.Stat(plain)
	if got.Mode() != want.Mode() {
		t.Errorf("a new file has mode %v, others have %v", got.Mode(), want.Mode())
	}
}

// The writer fails after some bytes, as on a full disk.
func TestFailedReplaceLeavesEverythingAsItWas(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, map[string]string{"a.txt": "old content"})
	before := snapshot(t, w.Root())
	for name, content := range map[string][]byte{"a.txt": []byte("old content"), "new.txt": nil, "new/folder/b.txt": nil} {
		err := w.replaceWith(filepath.Join(w.Root(), name), content, func(out io.Writer) error {
			if _, err := out.Write([]byte("half")); err != nil {
				return err
			}
			return &os.PathError{Op: "write", Path: "secret temporary name", Err: syscall.ENOSPC}
		})
		if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "can't write "+name) ||
			!strings.Contains(err.Error(), "nothing was changed") || strings.Contains(err.Error(), "temporary") {
			t.Errorf("%s: %v", name, err)
		}
		if after := snapshot(t, w.Root()); after != before {
			t.Errorf("%s: the workspace changed from\n%s\nto\n%s", name, before, after)
		}
	}
}

// snapshot lists every file below a folder with mode and content.
func snapshot(t testing.TB, root string) string {
	t.Helper()
	var out strings.Builder
	err := filepath.Walk(root, func(path string, info os.FileInfo, err error) error {
		if err != nil {
			return err
		}
		out.WriteString(path + " " + info.Mode().String())
		if info.Mode().IsRegular() {
			out.WriteString(" " + content(t, path))
		}
		out.WriteByte('\n')
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// Several programs insert lines into one file. Each line is in the file, or its writer received an
// error.
func TestNoUpdateIsLost(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, map[string]string{"f": ""})
	path := filepath.Join(w.Root(), "f")
	var written [4]int
	var group sync.WaitGroup
	for writer := range written {
		group.Go(func() {
			// Each has a separate view of the folder, like two programs.
			w, err := New(w.Root(), "")
			if err != nil {
				t.Error(err)
				return
			}
			for line := 0; line < 15; {
				before, err := os.ReadFile(path)
				if err != nil {
					t.Error(err)
					return
				}
				after := fmt.Appendf(bytes.Clone(before), "writer %d line %d\n", writer, line)
				switch err := w.Replace(path, before, after); {
				case err == nil:
					written[writer]++
					line++
				case !errors.Is(err, ErrChanged):
					t.Error(err)
					return
				}
			}
		})
	}
	group.Wait()
	if got := strings.Count(content(t, path), "\n"); got != 60 || written != [4]int{15, 15, 15, 15} {
		t.Errorf("%v lines were reported as written, %d are in the file:\n%s", written, got, content(t, path))
	}
	noTemporaryFiles(t, w)
}

// A program that appends with >>, like a shell, opens the file for every line and does not know the
// locks of this program. Lines with a slow open call do not count, because a program can be
// suspended within the call on a busy machine, and one line may then be lost.
func TestNoAppendedLineIsLost(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, map[string]string{"f": ""})
	path := filepath.Join(w.Root(), "f")
	const appended = 500
	done := make(chan struct{})
	slow := map[int]bool{}
	go func() {
		defer close(done)
		for i := range appended {
			began := time.Now()
			f, err := fsutil.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
			if err != nil {
				t.Error(err)
				return
			}
			slow[i] = time.Since(began) > standstill/2
			if _, err := fmt.Fprintf(f, "appended %d\n", i); err != nil {
				t.Error(err)
			}
			f.Close()
			// Some work between two lines.
			for range 20 {
				_, _ = fsutil.Read(path)
			}
		}
	}()
	inserted, refused := 0, 0
	for running := true; running; {
		select {
		case <-done:
			running = false
		default:
		}
		before, err := fsutil.Read(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Replace(path, before, append([]byte("inserted\n"), before...)); err == nil {
			inserted++
		} else {
			refused++
		}
	}
	text := content(t, path)
	for i := range appended {
		if !slow[i] && !strings.Contains(text, fmt.Sprintf("appended %d\n", i)) {
			t.Errorf("appended line %d is lost", i)
		}
	}
	if got := strings.Count(text, "inserted"); got != inserted {
		t.Errorf("%d of %d inserted lines are there (%d refused)", got, inserted, refused)
	}
	t.Logf("%d insertions, %d refused", inserted, refused)
	noTemporaryFiles(t, w)
}

// If a program has a file open for writing, the file is not replaced, because later writes would be
// lost.
func TestFileOpenForWritingIsNotReplaced(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, map[string]string{"log": "a\n"})
	path := filepath.Join(w.Root(), "log")
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Replace(path, []byte("a\n"), []byte("b\n")); err == nil || !strings.Contains(err.Error(), "has it open") {
		t.Skipf("this system does not say who has a file open: %v", err)
	}
	if _, err := f.WriteString("c\n"); err != nil {
		t.Fatal(err)
	}
	f.Close()
	if got := content(t, path); got != "a\nc\n" {
		t.Errorf("the file holds %q", got)
	}
	if err := w.Replace(path, []byte("a\nc\n"), []byte("b\n")); err != nil {
		t.Error(err)
	}
}

func TestReplaceRefusesUnexpectedContent(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, map[string]string{"f": "theirs", "empty": ""})
	before := snapshot(t, w.Root())
	for name, expected := range map[string][]byte{"f": []byte("mine"), "empty": nil, "missing": []byte("x"), "none/of/these": []byte("x")} {
		if err := w.Replace(filepath.Join(w.Root(), name), expected, []byte("new")); !errors.Is(err, ErrChanged) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if after := snapshot(t, w.Root()); after != before {
		t.Errorf("refusals changed\n%s\nto\n%s", before, after)
	}
}

func TestManyNestedFolders(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, nil)
	path := filepath.Join(w.Root(), strings.Repeat("dd/", 1260), "f")
	began := time.Now()
	if err := w.Replace(path, nil, []byte("x")); err != nil {
		t.Fatal(err)
	}
	t.Logf("1260 folders took %v", time.Since(began))
	if got := content(t, path); got != "x" {
		t.Errorf("the file holds %q", got)
	}
}

func TestSweepRemovesFilesOfKilledPrograms(t *testing.T) {
	t.Parallel()
	old, fresh := temporaryName(), temporaryName()
	w := newWorkspace(t, map[string]string{"sub/" + old: "x", "sub/" + fresh: "x", ".agent-notes.tmp": "theirs", "a.go": ""})
	now := time.Now()
	for _, name := range []string{"sub/" + old, ".agent-notes.tmp", "a.go"} {
		if err := os.Chtimes(filepath.Join(w.Root(), name), now, now.Add(-time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	w.Sweep(t.Context(), now)
	for name, want := range map[string]bool{"sub/" + old: false, "sub/" + fresh: true, ".agent-notes.tmp": true, "a.go": true} {
		if _, err := os.Lstat(filepath.Join(w.Root(), name)); (err == nil) != want {
			t.Errorf("%s is there: %v, want %v", name, err == nil, want)
		}
	}
}

func noTemporaryFiles(t *testing.T, w *Workspace) {
	t.Helper()
	if left, err := filepath.Glob(filepath.Join(w.Root(), temporaryPrefix+"*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}
