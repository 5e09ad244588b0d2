//go:build unix

package fsutil

import (
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Lstat returns the metadata of a file or folder; ok is false for a missing one. It does not follow
// a link.
func Lstat(path string) (facts Facts, ok bool) { return look(unix.AT_FDCWD, path) }

func look(folder int, name string) (Facts, bool) {
	var stat unix.Stat_t
	if unix.Fstatat(folder, name, &stat, unix.AT_SYMLINK_NOFOLLOW) != nil {
		return Facts{}, false
	}
	return Facts{uint64(stat.Dev), stat.Ino, stat.Size, uint32(stat.Mode), unix.TimespecToNsec(stat.Mtim), unix.TimespecToNsec(stat.Ctim)}, true
}

// A Looker returns the metadata of files, one folder after the other. It looks names up in the open
// folder, which is faster than by path.
type Looker struct {
	folder string
	// at is the open folder, negative if it cannot be opened.
	at     int
	opened bool
}

// Lstat returns the metadata of a file of a folder, as the function Lstat does.
func (l *Looker) Lstat(folder, name string) (Facts, bool) {
	if !l.opened || l.at < 0 || folder != l.folder {
		l.Close()
		l.at, _ = unix.Open(folder, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
		l.folder, l.opened = folder, true
	}
	if l.at < 0 {
		name = filepath.Join(folder, name)
	}
	return look(l.at, name)
}

// Close closes the last folder.
func (l *Looker) Close() {
	if l.opened && l.at >= 0 {
		_ = unix.Close(l.at)
	}
	l.opened = false
}
