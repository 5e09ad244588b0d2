package fsutil

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agent/internal/testing/fifo"
)

// TestRead checks that reading never blocks, whatever is in the place of the file.
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
	// A huge file is not read. The error contains the file and the limit.
	huge := filepath.Join(dir, "huge")
	if err := errors.Join(os.WriteFile(huge, nil, 0o600), os.Truncate(huge, 10<<30)); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(huge); !errors.Is(err, ErrTooLarge) || !strings.HasSuffix(err.Error(), "huge: it is larger than 64 MiB, the limit") {
		t.Errorf("the error is %v", err)
	}
	if got, err := ReadUpTo(file, 1); err != nil || string(got) != "x" {
		t.Errorf("%q %v", got, err)
	}
	if _, err := Read(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}
