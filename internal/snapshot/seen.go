package snapshot

import (
	"hash/maphash"
	"time"

	"golang.org/x/sys/unix"

	"agent/internal/disk"
)

// stamp changes with everything that is done to a file.
type stamp struct {
	inode            uint64
	size             int64
	mode             uint32
	written, changed unix.Timespec
}

// stampOf returns the stamp of a file; ok is false when nothing is there.
func stampOf(abs string) (s stamp, ok bool) { return stampIn(unix.AT_FDCWD, abs) }

// stampIn is stampOf for a name in an open folder.
func stampIn(folder int, name string) (s stamp, ok bool) {
	var stat unix.Stat_t
	if unix.Fstatat(folder, name, &stat, unix.AT_SYMLINK_NOFOLLOW) != nil {
		return stamp{}, false
	}
	return stamp{stat.Ino, stat.Size, uint32(stat.Mode), stat.Mtim, stat.Ctim}, true
}

// settled reports whether a change from now on changes the stamp: the clock of file
// systems is coarse.
func (s stamp) settled(now time.Time) bool {
	return now.Sub(time.Unix(s.changed.Unix())) > disk.ClockStep
}

// identity is a stamp in fewer bytes.
type identity uint64

// identities makes identities of stamps; nobody else can foresee them.
type identities maphash.Seed

func (i identities) of(at stamp) identity {
	return identity(maphash.Comparable(maphash.Seed(i), at))
}

// seen is what stood at a path, in few bytes.
type seen struct {
	identity identity
	// inode are its lower bits.
	inode uint32
	mode  uint16
	facts fact
}

// fact is what is known of a file that was seen.
type fact uint8

const (
	// there is not set when nothing stood at the path.
	there fact = 1 << iota
	// settled says that the identity alone reports whether the file was changed.
	settled
	// clean says that git has what the file holds.
	clean
)

func newSeen(of identity, at stamp, now time.Time) seen {
	s := seen{of, uint32(at.inode), uint16(at.mode), there}
	if at.settled(now) {
		s.mark(settled)
	}
	return s
}

func (s *seen) mark(f fact)   { s.facts |= f }
func (s *seen) unmark(f fact) { s.facts &^= f }
func (s seen) is(f fact) bool { return s.facts&f != 0 }
