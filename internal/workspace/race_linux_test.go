package workspace

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// swap exchanges two names repeatedly until the test has ended.
func swap(t *testing.T, a, b string) {
	t.Helper()
	stop, stopped := make(chan struct{}), make(chan error)
	go func() {
		var err error
		for err == nil {
			select {
			case <-stop:
				stopped <- nil
				return
			default:
				err = unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE)
			}
		}
		stopped <- err
	}()
	t.Cleanup(func() {
		close(stop)
		if err := <-stopped; err != nil {
			t.Error(err)
		}
	})
}

// A change of a mode, the removal of a folder, and a sweep of stray files do not follow a symbolic
// link, even to a target in the workspace. The link is created while they run.
func TestChangesFollowNoNewLink(t *testing.T) {
	t.Parallel()
	now := time.Now()
	stray := temporaryName()
	for name, race := range map[string]struct {
		// from is exchanged for a link to the file or folder with the same name in the folder
		// victim.
		from string
		// do changes d/f, d/e or the stray file in d.
		do func(w *Workspace)
	}{
		"the mode of a file in a folder": {"d", func(w *Workspace) { _ = w.SetMode(filepath.Join(w.root, "d/f"), 0o600) }},
		"the mode of a file":             {"d/f", func(w *Workspace) { _ = w.SetMode(filepath.Join(w.root, "d/f"), 0o600) }},
		"a folder":                       {"d", func(w *Workspace) { w.RemoveFolder(filepath.Join(w.root, "d/e")) }},
		"strays":                         {"d", func(w *Workspace) { w.Sweep(t.Context(), now) }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// The victim is in the workspace, but in a folder that no listing reads.
			w := newWorkspace(t, map[string]string{".gitignore": "/aside", "aside/victim/f": "", "aside/victim/" + stray: "", "d/f": ""})
			victim, old := filepath.Join(w.root, "aside/victim"), now.Add(-time.Hour)
			if err := os.Mkdir(filepath.Join(victim, "e"), 0o700); err != nil {
				t.Fatal(err)
			}
			for path, mode := range map[string]os.FileMode{"f": 0o640, stray: 0o600} {
				if err := os.Chmod(filepath.Join(victim, path), mode); err != nil {
					t.Fatal(err)
				}
				if err := os.Chtimes(filepath.Join(victim, path), old, old); err != nil {
					t.Fatal(err)
				}
			}
			// os.Root refuses an absolute link.
			target, from := "aside/victim", filepath.Join(w.root, race.from)
			if race.from == "d/f" {
				target = "../aside/victim/f"
			}
			link := filepath.Join(w.root, "aside/link")
			if err := os.Symlink(target, link); err != nil {
				t.Fatal(err)
			}
			d, err := os.OpenRoot(filepath.Join(w.root, "d"))
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			swap(t, from, link)
			for range 400 {
				// There must be a stray file each time.
				if err := errors.Join(d.WriteFile(stray, nil, 0o600), d.Chtimes(stray, old, old)); err != nil {
					t.Fatal(err)
				}
				race.do(w)
			}
			for path, mode := range map[string]os.FileMode{"f": 0o640, stray: 0o600, "e": os.ModeDir | 0o700} {
				if info, err := os.Lstat(filepath.Join(victim, path)); err != nil || info.Mode() != mode {
					t.Errorf("%s in the folder that the link leads to: %v %v", path, info, err)
				}
			}
		})
	}
}
