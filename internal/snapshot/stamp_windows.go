package snapshot

import (
	"io/fs"

	"agent/internal/gitfiles/index"
)

// ownerWrites is the write permission of a file's owner, group and others. Windows has one
// permission for all three.
const ownerWrites fs.FileMode = 0o222

// sameStamp reports whether a file has the modification time and the size of an index entry. On
// Windows, git stores no inode, and the creation time instead of the time of the last change.
func sameStamp(at stamp, e *index.Entry) bool {
	return at.written == e.Written && uint32(at.size) == e.Size
}
