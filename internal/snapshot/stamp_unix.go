//go:build unix

package snapshot

import "agent/internal/git/index"

// sameStamp reports whether a file has the times, inode and size of an index entry.
func sameStamp(at stamp, e *index.Entry) bool {
	return at.changed == e.Changed && at.written == e.Written && uint32(at.inode) == e.Inode && uint32(at.size) == e.Size
}
