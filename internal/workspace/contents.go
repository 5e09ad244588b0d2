package workspace

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"agent/internal/disk"
)

// ErrTooLarge is the error of [Contents.Read] for a file that is larger than it may be.
var ErrTooLarge = errors.New("the file is too large")

// Contents reads whole files of one folder, for those who read many: with as few calls of
// the system as that takes. It is safe for parallel use.
type Contents struct {
	// most is the size of the largest file that is read, in bytes.
	most int64
	root *os.Root
	// fast reads as Read does with fewer calls of the system, where that has such calls;
	// elsewhere, and where it is refused, its error is errors.ErrUnsupported.
	fast fastReader
}

// Contents opens a folder that Resolve returned, or one below it, for reading files of up
// to most bytes.
func (w *Workspace) Contents(folder string, most int64) (*Contents, error) {
	if _, ok := w.base(folder); !ok {
		return nil, &OutsideError{Path: folder, Leads: folder, Workspace: w.root}
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	return &Contents{most: most, root: root, fast: newFastReader(folder)}, nil
}

// Close frees what the folder was opened with.
func (c *Contents) Close() error {
	return errors.Join(c.fast.close(), c.root.Close())
}

// Read reads a regular file, which is no link, by its slash path in the folder, into
// buffer or a larger one in its place. Nothing is waited for.
func (c *Contents) Read(file string, buffer []byte) ([]byte, error) {
	content, err := c.fast.read(file, c.most, buffer)
	if !errors.Is(err, errors.ErrUnsupported) {
		return content, err
	}
	name := filepath.FromSlash(file)
	if info, err := c.root.Lstat(name); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() {
		return nil, disk.ErrNoFile
	}
	f, err := c.root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, disk.ErrNoFile
	case info.Size() > c.most:
		return nil, ErrTooLarge
	}
	buffer = sized(buffer, info.Size())
	n, err := io.ReadFull(f, buffer)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return nil, &fs.PathError{Op: "read", Path: file, Err: err}
	}
	return buffer[:n], nil
}

// sized is a buffer of a size, the given one where it is large enough.
func sized(buffer []byte, size int64) []byte {
	if int64(cap(buffer)) < size {
		return make([]byte, size)
	}
	return buffer[:size]
}
