//go:build !linux

package fsutil

import (
	"io/fs"
	"os"
)

// A FolderReader reads folders in parts, so that a large folder uses little memory. The zero
// value is ready to use, for one folder at a time.
type FolderReader struct{}

// Read calls do for each entry of a folder, in no order, with the name and the type of the entry.
// The name is valid until do returns. Read does not block if another kind of file, such as a pipe,
// has replaced the folder.
func (*FolderReader) Read(path string, do func(name []byte, kind fs.FileMode)) error {
	folder, err := os.OpenFile(path, os.O_RDONLY|onlyFolder|NoWait, 0)
	if err != nil {
		return err
	}
	return eachEntry(folder, do)
}

// ReadIn reads a folder of a tree as Read does.
func (*FolderReader) ReadIn(tree *Tree, path string, do func(name []byte, kind fs.FileMode)) error {
	return readFolder(tree, path, do)
}
