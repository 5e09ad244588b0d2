package snapshot

import (
	"encoding/hex"
	"io/fs"

	"golang.org/x/sys/unix"

	"agent/internal/git"
	"agent/internal/git/index"
)

// names are the paths of all entries, in order.
func indexNames(i *index.Index) []string {
	var names []string
	entries := i.Read()
	for entries.Next() {
		if e := &entries.Entry; whole(e) {
			names = append(names, string(e.Path))
		}
	}
	if entries.Err() != nil {
		return nil
	}
	return names
}

// whole reports whether an entry is of a regular file without a conflict.
func whole(e *index.Entry) bool { return e.Mode == index.Regular && !e.Merging }

// indexSums are the names of what git keeps of the given files, as sums.
func indexSums(i *index.Index, of map[string]bool) map[string]string {
	sums := map[string]string{}
	entries := i.Read()
	for entries.Next() {
		if e := &entries.Entry; whole(e) && of[string(e.Path)] {
			sums[string(e.Path)] = gitSum + hex.EncodeToString(e.Name)
		}
	}
	if entries.Err() != nil {
		return nil
	}
	return sums
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
