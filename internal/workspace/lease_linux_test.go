package workspace

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A program may find a file by its name, and open it for writing only after it was replaced. It
// then writes to the old file. Replace waits for it as long as the flush takes, and then restores
// the old file, unless another program has written to the new one. The test opens the old file by
// another name.
func TestALateWriterLosesNothing(t *testing.T) {
	t.Parallel()
	for theirs, want := range map[string]string{"": "a\nlate\n", "theirs\n": "b\ntheirs\n"} {
		w := newWorkspace(t, map[string]string{"f": "a\n"})
		path, other := filepath.Join(w.Root(), "f"), filepath.Join(w.Root(), "other")
		if err := os.Link(path, other); err != nil {
			t.Fatal(err)
		}
		dir, err := os.Open(w.Root())
		if err != nil {
			t.Fatal(err)
		}
		defer dir.Close()
		written := make(chan error, 1)
		flush := func() error {
			if theirs != "" {
				if err := appendTo(path, theirs); err != nil {
					return err
				}
			}
			go func() { written <- appendTo(other, "late\n") }()
			return waitForBreak(other)
		}
		err = target{folder{dir}, "f"}.exchange([]byte("a\n"), func(out io.Writer) error {
			_, err := io.WriteString(out, "b\n")
			return err
		}, flush)
		if errors.Is(err, errNoLease) {
			t.Skip(err)
		}
		if !errors.Is(err, ErrChanged) {
			t.Errorf("the edit gave %v", err)
		}
		if err := <-written; err != nil {
			t.Error(err)
		}
		if got := content(t, path); got != want {
			t.Errorf("the file holds %q, want %q", got, want)
		}
		if err := os.Remove(other); err != nil {
			t.Fatal(err)
		}
		noTemporaryFiles(t, w)
	}
}

func appendTo(path, text string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

var errNoLease = errors.New("the system tells of no leases")

// waitForBreak waits until another program waits to write to a file.
func waitForBreak(path string) error {
	var stat unix.Stat_t
	if err := unix.Stat(path, &stat); err != nil {
		return err
	}
	for began := time.Now(); time.Since(began) < 10*time.Second; time.Sleep(time.Millisecond) {
		locks, err := os.ReadFile("/proc/locks")
		if err != nil {
			return errNoLease
		}
		for line := range strings.Lines(string(locks)) {
			if strings.Contains(line, "BREAKING") && strings.Contains(line, fmt.Sprintf(":%d ", stat.Ino)) {
				return nil
			}
		}
	}
	return errNoLease
}

// If a program is killed while it writes an edit, no file is left in the workspace, because the new
// file has no name before it is complete.
func TestAFileThatIsBeingWrittenHasNoName(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, map[string]string{"f": "a\n"})
	dir, err := os.Open(w.Root())
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	unnamed, err := openUnnamed(folder{dir}, 0o600)
	if err != nil {
		t.Skipf("files need a name here: %v", err)
	}
	unnamed.Close()
	for name, before := range map[string][]byte{"f": []byte("a\n"), "new": nil} {
		was := snapshot(t, w.Root())
		err := w.replaceWith(filepath.Join(w.Root(), name), before, func(out io.Writer) error {
			_, err := io.WriteString(out, "b\n")
			if now := snapshot(t, w.Root()); now != was {
				t.Errorf("%s: the workspace holds\n%s", name, now)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// Two programs that use Replace wait for each other.
func TestReplaceWaitsForAnother(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, map[string]string{"f": "a\n"})
	path := filepath.Join(w.Root(), "f")
	other, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	lock(other)
	// A call that does not wait has ended long before this time.
	time.AfterFunc(50*time.Millisecond, func() {
		defer other.Close()
		if err := os.WriteFile(path, []byte("theirs\n"), 0o600); err != nil {
			t.Error(err)
		}
	})
	err = w.Replace(path, []byte("a\n"), []byte("b\n"))
	if !errors.Is(err, ErrChanged) || content(t, path) != "theirs\n" {
		t.Errorf("the edit gave %v, the file holds %q", err, content(t, path))
	}
}
