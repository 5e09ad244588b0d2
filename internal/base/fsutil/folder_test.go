package fsutil

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agent/internal/testing/fifo"
)

// ReadFolder returns the same names as os.ReadDir, for folders of any size. It does not block on
// a pipe.
func TestReadFolder(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for i := range 400 {
		if err := os.WriteFile(filepath.Join(root, strings.Repeat("a long name ", 16)+fmt.Sprint(i)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	pipe := filepath.Join(root, "pipe")
	if err := errors.Join(os.Mkdir(filepath.Join(root, "folder"), 0o700), os.Symlink("folder", filepath.Join(root, "link")), fifo.Make(t, pipe)); err != nil {
		t.Fatal(err)
	}
	standard, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	kind := func(mode fs.FileMode) string {
		return fmt.Sprint(mode.IsRegular(), mode.IsDir(), mode&fs.ModeSymlink != 0)
	}
	want, got := map[string]string{}, map[string]string{}
	for _, entry := range standard {
		want[entry.Name()] = kind(entry.Type())
	}
	err = ReadFolder(root, func(name string, mode fs.FileMode) { got[name] = kind(mode) })
	if err != nil || !maps.Equal(want, got) {
		t.Errorf("%v, %d entries, want %d", err, len(got), len(want))
	}
	for _, path := range []string{pipe, filepath.Join(root, "missing")} {
		if err := ReadFolder(path, nil); err == nil {
			t.Errorf("%s was read", path)
		}
	}
}
