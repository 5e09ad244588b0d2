//go:build unix

package snapshot

import (
	"io/fs"

	"agent/internal/gitfiles/index"
)

// ownerWrites is the write permission of a file's owner.
const ownerWrites fs.FileMode = 0o200

// sameStamp reports whether a file has the times, inode and size of an index entry.
func sameStamp(at stamp, e *index.Entry) bool {
	return at.changed == e.Changed && at.written == e.Written && uint32(at.inode) == e.Inode && uint32(at.size) == e.Size
}
