// Package mode compares the modes of files, on systems that keep them.
package mode

import (
	"io/fs"
	"os"
	"runtime"
	"testing"
)

// Kept reports whether this system keeps the mode that a file is given. Windows keeps whether it may
// be written, and lists of rights instead of the rest.
const Kept = runtime.GOOS != "windows"

// Is fails the test unless there is a file of this mode, or any file where modes are not kept.
func Is(t testing.TB, path string, want fs.FileMode) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Error(err)
	} else if got := info.Mode().Perm(); Kept && got != want {
		t.Errorf("%s has the mode %v, want %v", path, got, want)
	}
}
