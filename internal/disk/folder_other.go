//go:build !linux

package disk

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// FolderReader reads folders a part at a time, so that a large one takes little memory. The
// zero value is ready; it reads one folder at a time.
type FolderReader struct{}

// Read calls do for each entry of a folder, in no order, with what kind of thing it is. The
// name is valid until do returns. What stands in the place of the folder is not waited for.
func (*FolderReader) Read(path string, do func(name []byte, kind fs.FileMode)) error {
	const atOnce = 512
	folder, err := os.OpenFile(path, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	defer folder.Close()
	for {
		entries, err := folder.ReadDir(atOnce)
		for _, entry := range entries {
			do([]byte(entry.Name()), entry.Type())
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
