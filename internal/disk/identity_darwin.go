package disk

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// Identity returns a text that another file or folder at the same path has not: its number on the
// file system, and when it was made. It is "" if there is none.
func Identity(path string) string {
	var stat unix.Stat_t
	if err := unix.Lstat(path, &stat); err != nil {
		return ""
	}
	return fmt.Sprintf("%d %d.%09d", stat.Ino, stat.Btim.Sec, stat.Btim.Nsec)
}
