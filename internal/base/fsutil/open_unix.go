//go:build unix

package fsutil

import (
	"io/fs"
	"os"
)

// Truncate cuts a file, which may be open for appending only.
func Truncate(f *os.File, size int64) error { return f.Truncate(size) }

// OpenFile opens a file as os.OpenFile does. Others may replace, rename and remove it in the meantime.
func OpenFile(path string, flag int, mode fs.FileMode) (*os.File, error) {
	return os.OpenFile(path, flag, mode)
}
