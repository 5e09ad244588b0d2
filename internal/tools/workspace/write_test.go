package workspace

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestWriteKeepsModeAndOwner(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, map[string]string{"run.sh": "old"})
	path := filepath.Join(w.Root(), "run.sh")
	mode := os.FileMode(0o754) | os.ModeSetgid
	if os.Geteuid() == 0 {
		if err := os.Chown(path, 1234, 5678); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Replace(path, []byte("old"), []byte("new")); err != nil {
		t.Fatal(err)
	}
	after, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	was, is := before.Sys().(*syscall.Stat_t), after.Sys().(*syscall.Stat_t)
	if after.Mode() != mode || is.Uid != was.Uid || is.Gid != was.Gid {
		t.Errorf("mode %v, owner %d:%d; want %v, %d:%d", after.Mode(), is.Uid, is.Gid, mode, was.Uid, was.Gid)
	}
	if is.Ino == was.Ino {
		t.Error("the file was written in place: a reader could have seen half of it")
	}
	if got := content(t, path); got != "new" {
		t.Errorf("the file holds %q", got)
	}
}

func TestWriteCreatesFoldersAndHeedsUmask(t *testing.T) {
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
func TestFailedWriteLeavesEverythingAsItWas(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, map[string]string{"a.txt": "old content"})
	before := snapshot(t, w.Root())
	for _, name := range []string{"a.txt", "new.txt", "new/folder/b.txt"} {
		err := w.writeWith(filepath.Join(w.Root(), name), func(out io.Writer) error {
			if _, err := out.Write([]byte("half")); err != nil {
				return err
			}
			return &os.PathError{Op: "write", Path: "secret temporary name", Err: syscall.ENOSPC}
		})
		if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "cannot write "+name) ||
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
