package require

import (
	"io/fs"
	"os"
	"testing"
)

// Mode fails a test unless a file with this mode exists. On systems without Unix modes it checks
// only that the file exists.
func Mode(t testing.TB, path string, want fs.FileMode) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Error(err)
	} else if got := info.Mode().Perm(); Unix && got != want {
		t.Errorf("%s has the mode %v, want %v", path, got, want)
	}
}
