package disk

import (
	"errors"
	"io"
	"math"
	"os"
	"syscall"
)

// ErrNoFile is why something is refused that is no file.
var ErrNoFile = errors.New("it is no regular file")

// Read returns the content of a file. Anything but a regular file is an error: a pipe in
// the place of one would be waited for, without a word and for ever.
func Read(path string) ([]byte, error) { return Beginning(path, math.MaxInt64) }

// Beginning is Read for no more than the first bytes of a file.
func Beginning(path string, most int64) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
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
