//go:build !linux

package disk

import (
	"io/fs"
	"os"
	"syscall"
)

// FolderReader reads folders a part at a time, so that a large one takes little memory. The
// zero value is ready; it reads one folder at a time.
type FolderReader struct{}

// Read calls do for each entry of a folder, in no order, with what kind of thing it is. The
// name is valid until do returns. What replaces the folder is not waited for.
func (*FolderReader) Read(path string, do func(name []byte, kind fs.FileMode)) error {
	folder, err := os.OpenFile(path, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	return eachEntry(folder, do)
}

// ReadIn is Read for a folder of a tree.
func (*FolderReader) ReadIn(tree *Tree, path string, do func(name []byte, kind fs.FileMode)) error {
	return readFolder(tree, path, do)
}
