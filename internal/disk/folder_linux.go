package disk

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// FolderReader reads folders one after the other into the same memory, so that reading many
// costs little. The zero value is ready; it reads one folder at a time.
type FolderReader struct{ buffer []byte }

// Read calls do for each entry of a folder, in no order, with what kind of thing it is. The
// name is valid until do returns. What replaces the folder is not waited for.
func (r *FolderReader) Read(path string, do func(name []byte, kind fs.FileMode)) error {
	folder, err := unix.Open(path, forReading|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return &os.PathError{Op: "open", Path: path, Err: err}
	}
	return r.read(folder, path, do)
}

// ReadIn is Read for a folder of a tree.
func (r *FolderReader) ReadIn(tree *Tree, path string, do func(name []byte, kind fs.FileMode)) error {
	folder, err := tree.fast.beneath(path, forReading|unix.O_DIRECTORY)
	if errors.Is(err, errors.ErrUnsupported) {
		return readFolder(tree, path, do)
	}
	if err != nil {
		return err
	}
	return r.read(folder, path, do)
}

// read is Read for a folder that is open, and closes it.
func (r *FolderReader) read(folder int, path string, do func(name []byte, kind fs.FileMode)) error {
	if r.buffer == nil {
		r.buffer = make([]byte, 32<<10)
	}
	defer unix.Close(folder)
	for {
		n, err := unix.Getdents(folder, r.buffer)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return &os.PathError{Op: "read", Path: path, Err: err}
		case n <= 0:
			return nil
		}
		for rest := r.buffer[:n]; len(rest) > 0; {
			rest = entry(folder, rest, do)
		}
	}
}

// entry calls do for the first of some entries as the system writes them, and returns the
// others.
func entry(folder int, entries []byte, do func(name []byte, kind fs.FileMode)) (rest []byte) {
	const length, kind, begin = 16, 18, 19
	end := binary.NativeEndian.Uint16(entries[length:])
	name := entries[begin:end]
	name = name[:bytes.IndexByte(name, 0)]
	if string(name) != "." && string(name) != ".." {
		do(name, kindOf(folder, name, entries[kind]))
	}
	return entries[end:]
}

// kindOf is what kind of thing an entry is, as the system says; some file systems do not.
func kindOf(folder int, name []byte, said byte) fs.FileMode {
	if said == unix.DT_UNKNOWN {
		var stat unix.Stat_t
		if unix.Fstatat(folder, string(name), &stat, unix.AT_SYMLINK_NOFOLLOW) == nil {
			said = byte(stat.Mode & unix.S_IFMT >> 12)
		}
	}
	switch said {
	case unix.DT_REG:
		return 0
	case unix.DT_DIR:
		return fs.ModeDir
	case unix.DT_LNK:
		return fs.ModeSymlink
	}
	return fs.ModeIrregular
}
