package snapshot

import (
	"io/fs"

	"agent/internal/gitfiles/index"
)

// ownerWrites is the permission to write a file, of its owner, its group and others. Windows has
// one for all three.
const ownerWrites fs.FileMode = 0o222

// sameStamp reports whether a file has the time of writing and the size of an index entry. Git
// notes no inode here, and the time of creation in place of that of the last change.
func sameStamp(at stamp, e *index.Entry) bool {
	return at.written == e.Written && uint32(at.size) == e.Size
}
