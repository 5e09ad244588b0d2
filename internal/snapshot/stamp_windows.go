package snapshot

import (
	"io/fs"

	"agent/internal/git/index"
)

// ownerWrites is the permission of a file's owner to write it. A file has it with those of all others
// here, or not at all.
const ownerWrites fs.FileMode = 0o222

// sameStamp reports whether a file has the time of writing and the size of an index entry. Git
// notes no inode here, and the time of creation in place of that of the last change.
func sameStamp(at stamp, e *index.Entry) bool {
	return at.written == e.Written && uint32(at.size) == e.Size
}
