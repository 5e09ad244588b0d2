package disk

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// Identity returns a text that another file or folder at the same path has not: its number on the
// file system, and when it was made, as far as the system says. It is "" if there is none.
func Identity(path string) string {
	var stat unix.Statx_t
	if err := unix.Statx(unix.AT_FDCWD, path, unix.AT_SYMLINK_NOFOLLOW, unix.STATX_INO|unix.STATX_BTIME, &stat); err != nil {
		return ""
	}
	if stat.Mask&unix.STATX_BTIME == 0 {
		return fmt.Sprintf("%d", stat.Ino)
	}
	return fmt.Sprintf("%d %d.%09d", stat.Ino, stat.Btime.Sec, stat.Btime.Nsec)
}
