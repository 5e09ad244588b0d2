package snapshot

import (
	"encoding/hex"
	"io/fs"
	"time"

	"agent/internal/gitfiles/index"
	"agent/internal/gitfiles/layout"
)

// isPlainEntry reports whether an index entry is a regular file without a merge conflict.
func isPlainEntry(e *index.Entry) bool { return e.Mode == index.Regular && !e.Merging }

// tracked finds entries of an index by their paths, in order.
type tracked struct {
	entries *index.Reader
	begun   bool
}

func (t *tracked) entry() *index.Entry { return &t.entries.Entry }

// find advances to the entry of a path and reports whether it is a regular file.
func (t *tracked) find(folder, name string) bool {
	for !t.begun || compare(t.entry().Path, folder, name) < 0 {
		t.begun = true
		if !t.entries.Next() {
			return false
		}
	}
	return compare(t.entry().Path, folder, name) == 0 && isPlainEntry(t.entry())
}

// cleanStates returns the states of clean files by git's index, with their modification times.
func (b *before) cleanStates(files map[string]bool) map[string]FileState {
	if len(files) == 0 {
		return nil
	}
	states := make(map[string]FileState, len(files))
	entries := b.index.Read()
	for entries.Next() {
		if e := &entries.Entry; files[string(e.Path)] && isPlainEntry(e) {
			states[string(e.Path)] = FileState{Size: int64(e.Size), Sum: gitSum + hex.EncodeToString(e.Name), Written: time.Unix(0, e.Written)}
		}
	}
	if entries.Err() != nil {
		return nil
	}
	return states
}

// openIndex opens the index of the repository that contains root. It returns nil if there is none.
func openIndex(root string) *index.Index { return index.Open(layout.FindRepository(root)) }

func modeOf(mode uint32) fs.FileMode {
	m := fs.FileMode(mode) & fs.ModePerm
	for bit, special := range map[uint32]fs.FileMode{0o4000: fs.ModeSetuid, 0o2000: fs.ModeSetgid, 0o1000: fs.ModeSticky} {
		if mode&bit != 0 {
			m |= special
		}
	}
	return m
}
