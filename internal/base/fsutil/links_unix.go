//go:build unix

package fsutil

import (
	"io/fs"
	"syscall"
)

// Links returns the number of hard links to a file.
func Links(info fs.FileInfo) uint64 {
	if status, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(status.Nlink)
	}
	return 1
}
