package snapshot

import "agent/internal/git/index"

// sameStamp reports whether a file has the time of writing and the size of an index entry. Git
// notes no inode here, and the time of creation in place of that of the last change.
func sameStamp(at stamp, e *index.Entry) bool {
	return at.written == e.Written && uint32(at.size) == e.Size
}
