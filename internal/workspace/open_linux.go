package workspace

import (
	"errors"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"agent/internal/disk"
)

// openBeneath opens a file for reading by a path below a folder, without waiting for it.
// No part of the path is a link: it was free of them when it was checked, and one that is
// there now was put there to lead elsewhere. It does in one system call what os.Root does
// in one for each step of the path, which is felt by who searches many files. Where the
// system has no such call the error is errors.ErrUnsupported.
func openBeneath(folder, rel string) (*os.File, error) {
	dir, err := unix.Open(folder, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, errors.ErrUnsupported
	}
	defer unix.Close(dir)
	fd, err := openPlain(dir, rel)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), filepath.Join(folder, rel)), nil
}

// openPlain is openBeneath in an open folder.
func openPlain(dir int, rel string) (fd int, err error) {
	fd, err = unix.Openat2(dir, rel, &unix.OpenHow{
		Flags:   unix.O_RDONLY | unix.O_NONBLOCK | unix.O_CLOEXEC,
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS,
	})
	switch {
	case err == nil:
		return fd, nil
	case errors.Is(err, unix.ENOSYS), errors.Is(err, unix.EPERM): // old kernels, and containers that do not know the call
		return -1, errors.ErrUnsupported
	case errors.Is(err, unix.ELOOP):
		err = errLink
	}
	return -1, &os.PathError{Op: "open", Path: rel, Err: err}
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
	if r < 0 {
		return nil, errors.ErrUnsupported
	}
	fd, err := openPlain(int(r), file)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	var stat unix.Stat_t
	switch err := unix.Fstat(fd, &stat); {
	case err != nil:
		return nil, errors.ErrUnsupported
	case stat.Mode&unix.S_IFMT != unix.S_IFREG:
		return nil, disk.ErrNoFile
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
