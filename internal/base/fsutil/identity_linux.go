package fsutil

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// Identity returns a text that distinguishes a file or folder from another one at the same path:
// its inode number, with the creation time if the system records that. It returns "" if there is no
// such file.
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
