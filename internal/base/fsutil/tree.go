package fsutil

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// ErrLink is the error of a path on which a link was put, and which is not followed.
var ErrLink = errors.New("a link was put on the way at this moment")

// ErrTooLarge is the error for a file that is larger than allowed.
var ErrTooLarge = errors.New("the file is too large")

// A Tree is an open folder. Files below it are named by slash paths, "." for the folder itself,
// and opened without following a link in any part of the path: a path that was free of links when
// it was checked is not led elsewhere by a link that was put on it since (D-60). No method waits
// for a file. A Tree is safe for parallel use.
type Tree struct {
	root *os.Root
	// fast does the same with a single system call, if the system has one. Otherwise, and if the
	// system refuses the call, its errors are errors.ErrUnsupported.
	fast fastTree
}

// OpenTree opens a folder. Links on the way to it are followed.
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

// Root opens a folder, to look at its content.
func (t *Tree) Root(path string) (*os.Root, error) {
	above, name, err := t.openParent(path)
	if err != nil {
		return nil, err
	}
	defer above.Close()
	return OpenFolder(above, name)
}

// ReadFile reads a whole regular file of up to most bytes into buffer, or into a larger buffer in
// its place.
func (t *Tree) ReadFile(path string, most int64, buffer []byte) ([]byte, error) {
	content, err := t.fast.readFile(path, most, buffer)
	if !errors.Is(err, errors.ErrUnsupported) {
		return content, err
	}
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

// readFolder calls do for each entry of a folder, in no order.
func readFolder(t *Tree, path string, do func(name []byte, kind fs.FileMode)) error {
	folder, err := t.Open(path)
	if err != nil {
		return err
	}
	return eachEntry(folder, do)
}

// eachEntry calls do for each entry of an open folder, and closes the folder.
func eachEntry(folder *os.File, do func(name []byte, kind fs.FileMode)) error {
	const atOnce = 512
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

// openParent opens the parent folder of a path, and returns the last name of the path.
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

// OpenFolder opens a folder by its name in another folder. It returns [ErrLink] for a link.
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

// linkError returns ErrLink if a name that could not be opened is a link, and err otherwise. os.Root
// follows a link as long as it stays below, and returns another error if it does not.
func linkError(at *os.Root, name string, err error) error {
	if info, looking := at.Lstat(name); looking == nil && info.Mode()&fs.ModeSymlink != 0 {
		return &fs.PathError{Op: "open", Path: name, Err: ErrLink}
	}
	return err
}

// same returns an error unless a name in a folder still belongs to the opened file and is no
// link.
func same(at *os.Root, name string, opened fs.FileInfo) error {
	there, err := at.Lstat(name)
	if err == nil && !os.SameFile(there, opened) {
		err = &fs.PathError{Op: "open", Path: name, Err: ErrLink}
	}
	return err
}

// resize returns a buffer of a size, the given one if it is large enough.
func resize(buffer []byte, size int64) []byte {
	if int64(cap(buffer)) < size {
		return make([]byte, size)
	}
	return buffer[:size]
}
