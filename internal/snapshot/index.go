package snapshot

import (
	"encoding/hex"
	"io/fs"
	"time"

	"golang.org/x/sys/unix"

	"agent/internal/git"
	"agent/internal/git/index"
)

// whole reports whether an entry is of a regular file without a conflict.
func whole(e *index.Entry) bool { return e.Mode == index.Regular && !e.Merging }

// kept are the states of clean files as git's index has them, with when they were written.
// Files are what it had of each; those are left out of which it has something else now.
func (b *before) kept(files map[string]uint64) map[string]State {
	if len(files) == 0 {
		return nil
	}
	states := make(map[string]State, len(files))
	entries := b.index.Read()
	for entries.Next() {
		e := &entries.Entry
		if was, ok := files[string(e.Path)]; ok && whole(e) && b.identities.tracked(e.Changed, e.Written, e.Inode, e.Size) == was {
			states[string(e.Path)] = State{Size: int64(e.Size), Sum: gitSum + hex.EncodeToString(e.Name), Written: time.Unix(e.Written.Unix())}
		}
	}
	if entries.Err() != nil {
		return nil
	}
	return states
}

// openIndex opens the index of the repository that root is in; it is nil without one.
func openIndex(root string) *index.Index { return index.Open(git.Enclosing(root)) }

// modeOf are the permissions in a mode of the system.
func modeOf(mode uint32) fs.FileMode {
	m := fs.FileMode(mode) & fs.ModePerm
	for bit, special := range map[uint32]fs.FileMode{unix.S_ISUID: fs.ModeSetuid, unix.S_ISGID: fs.ModeSetgid, unix.S_ISVTX: fs.ModeSticky} {
		if mode&bit != 0 {
			m |= special
		}
	}
	return m
}
