package snapshot

import (
	"time"

	"golang.org/x/sys/unix"
)

// bornAt returns the creation time of a file. If the file system does not record it, bornAt returns
// the time of the last change. It is zero after an error.
func bornAt(abs string) time.Time {
	var stat unix.Statx_t
	if unix.Statx(unix.AT_FDCWD, abs, unix.AT_SYMLINK_NOFOLLOW, unix.STATX_BTIME|unix.STATX_CTIME, &stat) != nil {
		return time.Time{}
	}
	at := stat.Btime
	if stat.Mask&unix.STATX_BTIME == 0 {
		at = stat.Ctime
	}
	return time.Unix(at.Sec, int64(at.Nsec))
}
