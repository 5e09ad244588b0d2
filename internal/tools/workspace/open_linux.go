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
