package fsutil

// Facts is the metadata that the system stores of a file or folder.
type Facts struct {
	// Device and Number distinguish the file from others, whatever its name.
	Device, Number uint64
	Size           int64
	// Mode contains the type and the permissions, in the bits of Unix.
	Mode uint32
	// Written is the time of the last change of the content, and Changed of the last change of
	// content or metadata. Both are in nanoseconds since 1970.
	Written, Changed int64
}

const (
	typeBits   = 0o170000
	folderBits = 0o040000
)

// IsDir reports whether the file is a folder.
func (f Facts) IsDir() bool { return f.Mode&typeBits == folderBits }
