package snapshot

import (
	"encoding/binary"
	"hash/maphash"
	"time"

	"golang.org/x/sys/unix"
)

// stamp changes with everything that is done to a file.
type stamp struct {
	inode            uint64
	size             int64
	mode             uint32
	written, changed unix.Timespec
}

// stampOf returns the stamp of a file; ok is false when nothing is there.
func stampOf(abs string) (s stamp, ok bool) {
	var stat unix.Stat_t
	if unix.Lstat(abs, &stat) != nil {
		return stamp{}, false
	}
	return newStamp(&stat), true
}

// stampIn is stampOf for a name in an open folder.
func stampIn(folder int, name string) (s stamp, ok bool) {
	var stat unix.Stat_t
	if unix.Fstatat(folder, name, &stat, unix.AT_SYMLINK_NOFOLLOW) != nil {
		return stamp{}, false
	}
	return newStamp(&stat), true
}

func newStamp(stat *unix.Stat_t) stamp {
	return stamp{stat.Ino, stat.Size, uint32(stat.Mode), stat.Mtim, stat.Ctim}
}

// settled reports whether a change from now on changes the stamp: the clock of file
// systems is coarse.
func (s stamp) settled(now time.Time) bool { return now.Sub(time.Unix(s.changed.Unix())) > clockStep }

// clockStep is more than the step of that clock.
const clockStep = 20 * time.Millisecond

// identity is a stamp in fewer bytes.
type identity uint64

// identities makes identities of stamps; nobody else can foresee them.
type identities maphash.Seed

func (i identities) of(at stamp) identity {
	return identity(i.print(uint64(at.changed.Sec), uint64(at.changed.Nsec), uint64(at.written.Sec), uint64(at.written.Nsec), at.inode, uint64(at.size), uint64(at.mode)))
}

// tracked is a print of as much of a stamp as git's index has. It is never 0.
func (i identities) tracked(changed, written unix.Timespec, inode, size uint32) uint64 {
	return max(1, i.print(uint64(changed.Sec), uint64(changed.Nsec), uint64(written.Sec), uint64(written.Nsec), uint64(inode), uint64(size), 0))
}

func (i identities) print(numbers ...uint64) uint64 {
	var all [7 * 8]byte
	for n, number := range numbers {
		binary.NativeEndian.PutUint64(all[8*n:], number)
	}
	return maphash.Bytes(maphash.Seed(i), all[:])
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
