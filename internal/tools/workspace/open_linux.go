package workspace

import (
	"errors"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// openBeneath opens a file for reading, without waiting for it and without leaving a
// folder on the way. It does in one system call what os.Root does in one for each step
// of the path, which is felt by who searches many files. Where the system has no such
// call, or refuses the path, the error is errors.ErrUnsupported: os.Root says what is
// wrong.
func openBeneath(folder, rel string) (*os.File, error) {
	dir, err := unix.Open(folder, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, errors.ErrUnsupported
	}
	defer unix.Close(dir)
	fd, err := unix.Openat2(dir, rel, &unix.OpenHow{
		Flags:   unix.O_RDONLY | unix.O_NONBLOCK | unix.O_CLOEXEC,
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_MAGICLINKS,
	})
	if err != nil {
		return nil, errors.ErrUnsupported
	}
	return os.NewFile(uintptr(fd), filepath.Join(folder, rel)), nil
}

// fastReader is a folder whose files are read with four calls of the system each.
type fastReader int

// newFastReader is negative where the folder cannot be opened.
func newFastReader(folder string) fastReader {
	fd, err := unix.Open(folder, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1
	}
	return fastReader(fd)
}

func (r fastReader) close() error {
	if r < 0 {
		return nil
	}
	return unix.Close(int(r))
}

func (r fastReader) read(file string, most int64, buffer []byte) ([]byte, error) {
	fd, err := unix.Openat2(int(r), file, &unix.OpenHow{
		Flags:   unix.O_RDONLY | unix.O_NONBLOCK | unix.O_NOFOLLOW | unix.O_CLOEXEC,
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_MAGICLINKS,
	})
	if err != nil {
		return nil, errors.ErrUnsupported
	}
	defer unix.Close(fd)
	var stat unix.Stat_t
	switch err := unix.Fstat(fd, &stat); {
	case err != nil:
		return nil, errors.ErrUnsupported
	case stat.Mode&unix.S_IFMT != unix.S_IFREG:
		return nil, errNoFile
	case stat.Size > most:
		return nil, ErrTooLarge
	}
	buffer = sized(buffer, stat.Size)
	n := 0
	for n < len(buffer) {
		got, err := unix.Read(fd, buffer[n:])
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return nil, &os.PathError{Op: "read", Path: file, Err: err}
		case got == 0:
			return buffer[:n], nil
		default:
			n += got
		}
	}
	return buffer, nil
}
