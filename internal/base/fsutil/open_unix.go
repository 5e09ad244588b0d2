//go:build unix

package fsutil

import (
	"io/fs"
	"os"
)

// Truncate shortens a file to size bytes. The file may be open for appending only.
func Truncate(f *os.File, size int64) error { return f.Truncate(size) }

// OpenFile opens a file as os.OpenFile does. Other programs may replace, rename and remove the open
// file.
func OpenFile(path string, flag int, mode fs.FileMode) (*os.File, error) {
	return os.OpenFile(path, flag, mode)
}
