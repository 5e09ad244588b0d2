package snapshot

import (
	"time"

	"golang.org/x/sys/unix"
)

// bornAt returns the time a file was created, or of its last change where the file system
// does not record that. It is zero for a file that cannot be looked at.
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
