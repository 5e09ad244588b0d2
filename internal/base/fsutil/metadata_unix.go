//go:build unix

package fsutil

import "golang.org/x/sys/unix"

// Lstat returns the metadata of a file or folder; ok is false for a missing one. It does not follow
// a link.
func Lstat(path string) (facts Facts, ok bool) {
	var stat unix.Stat_t
	if unix.Lstat(path, &stat) != nil {
		return Facts{}, false
	}
	return Facts{uint64(stat.Dev), stat.Ino, stat.Size, uint32(stat.Mode), unix.TimespecToNsec(stat.Mtim), unix.TimespecToNsec(stat.Ctim)}, true
}
