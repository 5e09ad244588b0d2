//go:build !linux

package workspace

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// Files have names from the start here.
func openUnnamed(*os.File, uint32) (fd int, err error) { return -1, errors.ErrUnsupported }

func linkUnnamed(*os.File, *os.File, string) error { return errors.ErrUnsupported }

// exchangeNames is not known here; files are replaced after a last look at them.
func exchangeNames(*os.File, string, string) error { return errors.ErrUnsupported }

// setMode sets the permissions of the file that a name in a folder is of. A link is not
// followed.
func setMode(dir *os.File, name string, mode fs.FileMode) error {
	fd, err := unix.Openat(int(dir.Fd()), name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if errors.Is(err, unix.ELOOP) {
		return ErrChanged
	}
	if err != nil {
		return err
	}
	f := os.NewFile(uintptr(fd), name)
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return errors.Join(ErrChanged, err)
	}
	return f.Chmod(mode)
}

// takeAttributes is not known here; attributes go with the old file.
func takeAttributes(*os.File, *os.File) error { return nil }

// hold has nothing to hold writers with here.
type hold struct{}

func holdWriters(*os.File) (hold, error) { return hold{}, nil }

func (hold) intact() bool { return true }
