package fsutil

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// A FolderReader reads folders one after the other into the same memory, so that reading many
// folders is fast. The zero value is ready to use, for one folder at a time.
type FolderReader struct{ buffer []byte }

// Read calls do for each entry of a folder, in no order, with the name and the type of the entry.
// The name is valid until do returns. Read does not block if another kind of file, such as a pipe,
// has replaced the folder.
func (r *FolderReader) Read(path string, do func(name []byte, kind fs.FileMode)) error {
	folder, err := unix.Open(path, forReading|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return &os.PathError{Op: "open", Path: path, Err: err}
	}
	return r.read(folder, path, do)
}

// ReadIn reads a folder of a tree as Read does.
func (r *FolderReader) ReadIn(tree *Tree, path string, do func(name []byte, kind fs.FileMode)) error {
	folder, err := tree.fast.openBeneath(path, forReading|unix.O_DIRECTORY)
	if errors.Is(err, errors.ErrUnsupported) {
		return readFolder(tree, path, do)
	}
	if err != nil {
		return err
	}
	return r.read(folder, path, do)
}

// read reads an open folder as Read does, and closes it.
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

// entry calls do for the first of the entries, which are in the format of the system call, and
// returns the rest.
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

// kindOf returns the type of an entry. said is the type in the system's entry; some file systems
// leave it unknown.
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
