package workspace

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// swap exchanges two names over and over until the test has ended.
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

// Issue 18: what changes a mode, removes a folder or sweeps strays does it to nothing that
// a link leads to, inside of the workspace neither, also if the link is put on the way at
// that moment.
func TestNothingIsChangedBehindALinkThatIsPutOnTheWay(t *testing.T) {
	t.Parallel()
	now := time.Now()
	stray := temporaryName()
	for name, race := range map[string]struct {
		// from is what is exchanged for a link to its like in the folder victim.
		from string
		// do is what is done to d/f, d/e and the stray in d.
		do func(w *Workspace)
	}{
		"the mode of a file in a folder": {"d", func(w *Workspace) { _ = w.SetMode(filepath.Join(w.root, "d/f"), 0o600) }},
		"the mode of a file":             {"d/f", func(w *Workspace) { _ = w.SetMode(filepath.Join(w.root, "d/f"), 0o600) }},
		"a folder":                       {"d", func(w *Workspace) { w.RemoveFolder(filepath.Join(w.root, "d/e")) }},
		"strays":                         {"d", func(w *Workspace) { w.Sweep(t.Context(), now) }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// The victim is where no listing comes upon it, but in the workspace.
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
				// There is something to sweep each time.
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
