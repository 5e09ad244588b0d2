//go:build unix

package workspace

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestReplaceKeepsModeAndOwner(t *testing.T) {
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
