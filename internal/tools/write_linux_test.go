package tools

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"agent/internal/workspace"
)

func TestFullDisk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=64k"); err != nil {
		t.Skipf("a small disk cannot be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	w, err := workspace.New(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	env := &Env{Workspace: w, Seen: NewSeenFiles()}
	mustRun(t, env, writeFile(), params{"file_path": "a.txt", "content": "small"})
	mustRefuse(t, env, writeFile(), params{"file_path": "a.txt", "content": strings.Repeat("large\n", 20_000)}, "no space left", "nothing was changed")
	mustRefuse(t, env, writeFile(), params{"file_path": "new/b.txt", "content": strings.Repeat("large\n", 20_000)}, "no space left")
	wantContent(t, env, "a.txt", "small")
}

func TestReadOnlyFolder(t *testing.T) {
	t.Parallel()
	env := fileEnv(t, map[string]string{"locked/a.txt": "old\n"})
	folder := filepath.Join(env.Workspace.Root(), "locked")
	if os.Geteuid() == 0 {
		// Root can write to any folder, except on a read-only file system.
		if err := syscall.Mount(folder, folder, "", syscall.MS_BIND, ""); err != nil {
			t.Skipf("no read-only folder for root here: %v", err)
		}
		t.Cleanup(func() { syscall.Unmount(folder, 0) })
		if err := syscall.Mount("", folder, "", syscall.MS_BIND|syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
			t.Skipf("no read-only folder for root here: %v", err)
		}
	} else if err := os.Chmod(folder, 0o500); err != nil {
		t.Fatal(err)
	}
	words := []string{"can't write locked/", "nothing was changed"}
	mustRefuse(t, env, replace(), params{"file_path": "locked/a.txt", "old_string": "old", "new_string": "new"}, words...)
	mustRefuse(t, env, writeFile(), params{"file_path": "locked/new.txt", "content": "x"}, words...)
	mustRefuse(t, env, writeFile(), params{"file_path": "locked/deep/new.txt", "content": "x"}, words...)
}
