package fsutil

import (
	"errors"
	"io/fs"
	"os"
	"path"

	"golang.org/x/sys/unix"
)

// fastTree is the open folder of a [Tree], negative for none. It opens a file below the folder with
// a single system call. os.Root needs several for each element of the path, which slows down a
// search of many files.
type fastTree int

func newFastTree(folder string) fastTree {
	fd, err := unix.Open(folder, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1
	}
	return fastTree(fd)
}

func (t fastTree) close() error {
	if t < 0 {
		return nil
	}
	return unix.Close(int(t))
}

// openBeneath opens a path with the given open(2) flags.
func (t fastTree) openBeneath(path string, flags uint64) (fd int, err error) {
	if t < 0 {
		return -1, errors.ErrUnsupported
	}
	for {
		fd, err = unix.Openat2(int(t), path, &unix.OpenHow{Flags: flags | unix.O_CLOEXEC, Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS})
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	switch {
	case err == nil:
		return fd, nil
	case errors.Is(err, unix.ENOSYS), errors.Is(err, unix.EPERM): // old kernels; containers that block the call
		return -1, errors.ErrUnsupported
	case errors.Is(err, unix.ELOOP):
		err = ErrLink
	}
	return -1, &os.PathError{Op: "open", Path: path, Err: err}
}

// forReading holds the flags to open a file without blocking.
const forReading = unix.O_RDONLY | unix.O_NONBLOCK

// open opens a file; name is its name in messages.
func (t fastTree) open(path, name string) (*os.File, error) {
	fd, err := t.openBeneath(path, forReading)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), name), nil
}

func (t fastTree) lstat(name string) (fs.FileInfo, error) {
	fd, err := t.openBeneath(name, unix.O_PATH|unix.O_NOFOLLOW)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), path.Base(name))
	defer f.Close()
	return f.Stat()
}

// readFile reads a file with four system calls.
func (t fastTree) readFile(path string, most int64, buffer []byte) ([]byte, error) {
	fd, err := t.openBeneath(path, forReading)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	var stat unix.Stat_t
	switch err := unix.Fstat(fd, &stat); {
	case err != nil:
		return nil, errors.ErrUnsupported
	case stat.Mode&unix.S_IFMT != unix.S_IFREG:
		return nil, ErrNoFile
	case stat.Size > most:
		return nil, ErrTooLarge
	}
	buffer = resize(buffer, stat.Size)
	n := 0
	for n < len(buffer) {
		got, err := unix.Read(fd, buffer[n:])
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return nil, &os.PathError{Op: "read", Path: path, Err: err}
		case got == 0:
			return buffer[:n], nil
		default:
			n += got
		}
	}
	return buffer, nil
}
