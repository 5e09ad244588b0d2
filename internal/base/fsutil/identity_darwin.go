package fsutil

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// Identity returns a text that distinguishes a file or folder from another one at the same path:
// its inode number and its creation time. It returns "" if there is no such file.
func Identity(path string) string {
	var stat unix.Stat_t
	if err := unix.Lstat(path, &stat); err != nil {
		return ""
	}
	return fmt.Sprintf("%d %d.%09d", stat.Ino, stat.Btim.Sec, stat.Btim.Nsec)
}
