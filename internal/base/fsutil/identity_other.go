//go:build unix && !linux && !darwin

package fsutil

import (
	"fmt"
	"os"
	"syscall"
)

// Identity returns a text that usually distinguishes a file or folder from another one at the same
// path: its inode number. It returns "" if there is no such file.
func Identity(path string) string {
	info, err := os.Lstat(path)
	if err != nil {
		return ""
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	return fmt.Sprintf("%d", stat.Ino)
}
