package fsutil

// Facts is the description that a system has of a file or folder.
type Facts struct {
	// Device and Number distinguish the file from others, whatever its name.
	Device, Number uint64
	Size           int64
	// Mode has type and permissions in the bits of Unix.
	Mode uint32
	// Written and Changed are the times of the last change of the content, and of anything, in
	// nanoseconds since 1970.
	Written, Changed int64
}

const (
	typeBits   = 0o170000
	folderBits = 0o040000
)

// IsDir reports whether the facts are those of a folder.
func (f Facts) IsDir() bool { return f.Mode&typeBits == folderBits }
