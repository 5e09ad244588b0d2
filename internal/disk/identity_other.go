//go:build !linux && !darwin

package disk

import (
	"fmt"
	"os"
	"syscall"
)

// Identity returns a text that another file or folder at the same path mostly has not: its number on
// the file system. It is "" if there is none.
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
