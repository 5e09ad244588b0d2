package snapshot

import (
	"hash/maphash"
	"time"

	"agent/internal/base/fsutil"
)

// stamp is metadata of a file that changes with every change of the file.
type stamp struct {
	inode            uint64
	size             int64
	mode             uint32
	written, changed int64 // written and changed are in nanoseconds since 1970
}

// stampOf returns the stamp of a file. ok is false if there is no file.
func stampOf(abs string) (s stamp, ok bool) {
	facts, ok := fsutil.Lstat(abs)
	return stampFrom(facts), ok
}

func stampFrom(f fsutil.Facts) stamp { return stamp{f.Number, f.Size, f.Mode, f.Written, f.Changed} }

// settled reports whether any further change of the file will change the stamp. The clock of file
// systems is coarse, so that two changes in quick succession may have the same stamp.
func (s stamp) settled(now time.Time) bool {
	return now.Sub(time.Unix(0, s.changed)) > fsutil.ClockStep
}

// identity is a hash of a stamp.
type identity uint64

// identities is the random seed for the hash of stamps. Without the seed, no program can forge an
// identity.
type identities maphash.Seed

func (i identities) of(at stamp) identity {
	return identity(maphash.Comparable(maphash.Seed(i), at))
}

// seen is a compact description of a file before a command.
type seen struct {
	identity identity
	// inode is the lower bits of the inode.
	inode uint32
	mode  uint16
	facts fact
}

// fact is a bit set of what is known about a file. It combines the flags below.
type fact uint8

const (
	// there is set if the file exists.
	there fact = 1 << iota
	// settled is set if an unchanged identity proves that the file is unchanged.
	settled
	// clean is set if git has the content of the file.
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
