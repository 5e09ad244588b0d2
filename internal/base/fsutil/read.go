package fsutil

import (
	"errors"
	"io"
	"math"
	"os"
)

// ErrNoFile is the error for a path that names no regular file.
var ErrNoFile = errors.New("it is not a regular file")

// Open opens a file for reading. Others may replace, rename and remove the file meanwhile. It returns
// an error for anything but a regular file: a pipe in the file's place would be waited for without
// end, and a device be read without end.
func Open(path string) (*os.File, error) {
	f, err := OpenFile(path, os.O_RDONLY|NoWait, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &os.PathError{Op: "read", Path: path, Err: ErrNoFile}
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// Read returns the content of a file, which it opens with Open.
func Read(path string) ([]byte, error) { return Beginning(path, math.MaxInt64) }

// Beginning returns at most the first most bytes of a file, as Read does.
func Beginning(path string, most int64) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, most))
}
