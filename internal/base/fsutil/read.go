package fsutil

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// ErrNoFile is the error for a path that does not name a regular file.
var ErrNoFile = errors.New("it is not a regular file")

// Open opens a regular file for reading. Other programs may replace, rename and remove the open
// file. It returns an error for anything else, because opening a pipe or reading a device may never
// end.
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

// MaxRead is the size of the largest file that Read reads, in bytes.
const MaxRead = 64 << 20

// A SizeError is the error for a file that is too large to read. errors.Is matches it with
// ErrTooLarge.
type SizeError struct {
	// Most is the size limit in bytes.
	Most int64
}

func (e *SizeError) Error() string {
	return fmt.Sprintf("it is larger than %d MiB, the limit", e.Most>>20)
}

// Is reports whether target is ErrTooLarge.
func (*SizeError) Is(target error) bool { return target == ErrTooLarge }

// Read returns the content of a file of up to MaxRead bytes, which it opens with Open.
func Read(path string) ([]byte, error) { return ReadUpTo(path, MaxRead) }

// ReadUpTo returns the content of a file, which it opens with Open. The error for a file of more
// than most bytes wraps a *SizeError.
func ReadUpTo(path string, most int64) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var data []byte
	info, err := f.Stat()
	tooLarge := err == nil && info.Size() > most
	if err == nil && !tooLarge {
		data, err = io.ReadAll(io.LimitReader(f, most+1))
		tooLarge = int64(len(data)) > most
	}
	if tooLarge {
		return nil, &os.PathError{Op: "read", Path: path, Err: &SizeError{most}}
	}
	return data, err
}

// ReadBeginning returns at most the first most bytes of a file, as Read does.
func ReadBeginning(path string, most int64) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, most))
}
