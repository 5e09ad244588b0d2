package fsutil

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"agent/internal/testing/fifo"
)

// TestRead: nothing that stands in the place of a file is waited for.
func TestRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, pipe := filepath.Join(dir, "file"), filepath.Join(dir, "pipe")
	if err := errors.Join(os.WriteFile(file, []byte("x"), 0o600), fifo.Make(t, pipe)); err != nil {
		t.Fatal(err)
	}
	if got, err := Read(file); err != nil || string(got) != "x" {
		t.Errorf("%q %v", got, err)
	}
	for _, path := range []string{pipe, dir, "/dev/zero"} {
		if _, err := Read(path); !errors.Is(err, ErrNoFile) {
			t.Errorf("%s: %v", path, err)
		}
		if f, err := Open(path); !errors.Is(err, ErrNoFile) {
			t.Errorf("%s is opened: %v", path, err)
			f.Close()
		}
	}
	if _, err := Read(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}
