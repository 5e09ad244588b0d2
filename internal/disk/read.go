package disk

import (
	"errors"
	"io"
	"math"
	"os"
)

// ErrNoFile is the error for a path that names no regular file.
var ErrNoFile = errors.New("it is not a regular file")

// Read returns the content of a file. It returns an error for anything but a regular file:
// reading a pipe in the file's place would wait for ever, without a word.
func Read(path string) ([]byte, error) { return Beginning(path, math.MaxInt64) }

// Beginning returns at most the first most bytes of a file, as Read does.
func Beginning(path string, most int64) ([]byte, error) {
	f, err := OpenFile(path, os.O_RDONLY|NoWait, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &os.PathError{Op: "read", Path: path, Err: ErrNoFile}
	}
	return io.ReadAll(io.LimitReader(f, most))
}
