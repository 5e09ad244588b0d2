package snapshot

import (
	"hash/maphash"
	"time"

	"agent/internal/base/fsutil"
)

// stamp changes with everything that is done to a file.
type stamp struct {
	inode            uint64
	size             int64
	mode             uint32
	written, changed int64 // written and changed are in nanoseconds since 1970
}

// stampOf returns the stamp of a file; ok is false when nothing is there.
func stampOf(abs string) (s stamp, ok bool) {
	facts, ok := fsutil.Look(abs)
	return stampFrom(facts), ok
}

func stampFrom(f fsutil.Facts) stamp { return stamp{f.Number, f.Size, f.Mode, f.Written, f.Changed} }

// settled reports whether any further change of the file will change the stamp. The clock
// of file systems is coarse, so that right after a change another may go unnoticed.
func (s stamp) settled(now time.Time) bool {
	return now.Sub(time.Unix(0, s.changed)) > fsutil.ClockStep
}

// identity is a hash of a stamp.
type identity uint64

// identities hashes stamps with a random seed, so that no program can forge an identity.
type identities maphash.Seed

func (i identities) of(at stamp) identity {
	return identity(maphash.Comparable(maphash.Seed(i), at))
}

// seen describes a file before a command, in few bytes.
type seen struct {
	identity identity
	// inode has the lower bits of the inode.
	inode uint32
	mode  uint16
	facts fact
}

// fact is a set of flags about a file.
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
