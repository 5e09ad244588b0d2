package fsutil

import (
	"errors"
	"io/fs"
	"os"
	"path"

	"golang.org/x/sys/unix"
)

// fastTree is the open folder of a [Tree], negative for none. It opens a file below the folder with
// a single system call. os.Root needs several for each element of the path. For 5,000 files that is
// 19 ms instead of 122 ms (BenchmarkTree), for the 71 lines of this file.
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

// open opens a file; name is its name in messages.
func (t fastTree) open(path, name string) (*os.File, error) {
	fd, err := t.openBeneath(path, unix.O_RDONLY|unix.O_NONBLOCK)
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
