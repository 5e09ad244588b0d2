package fsutil

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// ErrLink is the error for a path in which a link replaced a file or folder. The link is not
// followed.
var ErrLink = errors.New("another program has just replaced a part of the path with a link")

// ErrTooLarge is the error for a file that is larger than allowed.
var ErrTooLarge = errors.New("the file is too large")

// A Tree is an open folder. Its methods accept slash paths below the folder, and "." for the folder
// itself. They follow no link in any part of a path. A link that was created after a path was
// checked therefore cannot redirect it (D-60). No method blocks on a file, such as a pipe. A Tree
// is safe for concurrent use.
type Tree struct {
	root *os.Root
	// fast opens a path with a single system call, if the system has one. If the system lacks or
	// refuses the call, the errors of fast are errors.ErrUnsupported.
	fast fastTree
}

// OpenTree opens a folder. It follows links in the path.
func OpenTree(folder string) (*Tree, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	return &Tree{root: root, fast: newFastTree(folder)}, nil
}

// Close closes the folder.
func (t *Tree) Close() error { return errors.Join(t.fast.close(), t.root.Close()) }

// Open opens a file or folder for reading.
func (t *Tree) Open(path string) (*os.File, error) {
	f, err := t.fast.open(path, filepath.Join(t.root.Name(), path))
	if !errors.Is(err, errors.ErrUnsupported) {
		return f, err
	}
	above, name, err := t.openParent(path)
	if err != nil {
		return nil, err
	}
	defer above.Close()
	f, err = above.OpenFile(name, os.O_RDONLY|NoWait, 0)
	if err != nil {
		return nil, linkError(above, name, err)
	}
	opened, err := f.Stat()
	if err == nil {
		err = same(above, name, opened)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// Lstat returns information on a path. It does not follow a link.
func (t *Tree) Lstat(path string) (fs.FileInfo, error) {
	info, err := t.fast.lstat(path)
	if !errors.Is(err, errors.ErrUnsupported) {
		return info, err
	}
	above, name, err := t.openParent(path)
	if err != nil {
		return nil, err
	}
	defer above.Close()
	return above.Lstat(name)
}

// Root opens a folder below the tree as an os.Root.
func (t *Tree) Root(path string) (*os.Root, error) {
	above, name, err := t.openParent(path)
	if err != nil {
		return nil, err
	}
	defer above.Close()
	return OpenFolder(above, name)
}

// ReadFile reads a whole regular file of up to most bytes. It uses buffer if the file fits, and
// allocates a larger one otherwise.
func (t *Tree) ReadFile(path string, most int64, buffer []byte) ([]byte, error) {
	f, err := t.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, ErrNoFile
	case info.Size() > most:
		return nil, ErrTooLarge
	}
	buffer = resize(buffer, info.Size())
	n, err := io.ReadFull(f, buffer)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return nil, &fs.PathError{Op: "read", Path: path, Err: err}
	}
	return buffer[:n], nil
}

// ReadFolder calls do for each entry of a folder, in no order, with the name and the type of the
// entry.
func (t *Tree) ReadFolder(path string, do func(name string, kind fs.FileMode)) error {
	folder, err := t.Open(path)
	if err != nil {
		return err
	}
	return eachEntry(folder, do)
}

// ReadFolder reads a folder as [Tree.ReadFolder] does. It does not block if another kind of file,
// such as a pipe, has replaced the folder.
func ReadFolder(path string, do func(name string, kind fs.FileMode)) error {
	folder, err := os.OpenFile(path, os.O_RDONLY|onlyFolder|NoWait, 0)
	if err != nil {
		return err
	}
	return eachEntry(folder, do)
}

// eachEntry calls do for each entry of an open folder, and closes the folder. It reads the folder in
// parts, so that a large one uses little memory.
func eachEntry(folder *os.File, do func(name string, kind fs.FileMode)) error {
	const atOnce = 512
	defer folder.Close()
	for {
		entries, err := folder.ReadDir(atOnce)
		for _, entry := range entries {
			do(entry.Name(), entry.Type())
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// openParent opens the parent folder of a path. It also returns the last element of the path.
func (t *Tree) openParent(path string) (folder *os.Root, name string, err error) {
	path = filepath.ToSlash(filepath.Clean(path))
	if !fs.ValidPath(path) {
		return nil, "", &fs.PathError{Op: "open", Path: path, Err: fs.ErrInvalid}
	}
	at, err := t.root.OpenRoot(".")
	names := strings.Split(path, "/")
	for _, name := range names[:len(names)-1] {
		if err != nil {
			return nil, "", err
		}
		var next *os.Root
		next, err = OpenFolder(at, name)
		at.Close()
		at = next
	}
	return at, names[len(names)-1], err
}

// OpenFolder opens a folder by its name in another folder. The error is [ErrLink] if the name is a
// link.
func OpenFolder(at *os.Root, name string) (*os.Root, error) {
	next, err := at.OpenRoot(name)
	if err != nil {
		return nil, linkError(at, name, err)
	}
	opened, err := next.Stat(".")
	if err == nil {
		err = same(at, name, opened)
	}
	if err != nil {
		next.Close()
		return nil, err
	}
	return next, nil
}

// linkError returns ErrLink if a name that could not be opened is a link, and err otherwise.
// os.Root follows a link that stays inside, and returns another error for a link that leads
// outside.
func linkError(at *os.Root, name string, err error) error {
	if info, looking := at.Lstat(name); looking == nil && info.Mode()&fs.ModeSymlink != 0 {
		return &fs.PathError{Op: "open", Path: name, Err: ErrLink}
	}
	return err
}

// same returns an error unless name in a folder still is the opened file and not a link.
func same(at *os.Root, name string, opened fs.FileInfo) error {
	there, err := at.Lstat(name)
	if err == nil && !os.SameFile(there, opened) {
		err = &fs.PathError{Op: "open", Path: name, Err: ErrLink}
	}
	return err
}

// resize returns a buffer with the given size. It reuses the given buffer if that is large enough.
func resize(buffer []byte, size int64) []byte {
	if int64(cap(buffer)) < size {
		return make([]byte, size)
	}
	return buffer[:size]
}
