package workspace

import (
	"errors"
	"io/fs"
	"os"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// openUnnamed creates a file without a name on the disk of a folder. linkUnnamed names it.
func openUnnamed(dir folder, mode uint32) (*os.File, error) {
	// Without /proc the file could not get a name.
	if _, err := os.Lstat("/proc/self/fd"); err != nil {
		return nil, err
	}
	fd, err := unix.Openat(dir.fd(), ".", unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, mode)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), "new file"), nil
}

// linkUnnamed links a file from openUnnamed to a name, which must be free.
func linkUnnamed(f *os.File, dir folder, name string) error {
	return unix.Linkat(unix.AT_FDCWD, "/proc/self/fd/"+strconv.Itoa(int(f.Fd())), dir.fd(), name, unix.AT_SYMLINK_FOLLOW)
}

// exchangeNames exchanges two files of a folder in one step, or returns
// errors.ErrUnsupported.
func exchangeNames(dir folder, a, b string) error {
	err := unix.Renameat2(dir.fd(), a, dir.fd(), b, unix.RENAME_EXCHANGE)
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOSYS) {
		return errors.ErrUnsupported
	}
	return err
}

// setMode sets the permissions of the file with a name in a folder. The file need not be
// readable, and a link is not followed.
func setMode(dir folder, name string, mode fs.FileMode) error {
	fd, err := unix.Openat(dir.fd(), name, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	f := os.NewFile(uintptr(fd), name)
	defer f.Close()
	switch info, err := f.Stat(); {
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return ErrChanged
	}
	return os.Chmod("/proc/self/fd/"+strconv.Itoa(fd), mode)
}

// A hold is a lease on a file. During the lease, no program can open the file for writing.
type hold struct {
	file *os.File
	// leased is false if the system grants no lease. intact then cannot detect writers.
	leased bool
}

// holdWriters waits until no program has the file open for writing, and takes a lease. Programs
// that want to open the file for writing then wait until the file is closed, or until the system
// ends the lease. The error is errOpen.
func holdWriters(f *os.File) (hold, error) {
	for waited := time.Duration(0); ; waited += pause {
		_, err := unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_RDLCK)
		switch {
		case err == nil:
			return hold{f, true}, nil
		case !errors.Is(err, syscall.EAGAIN):
			return hold{f, false}, nil
		case waited >= patience:
			return hold{}, errOpen
		}
		time.Sleep(pause)
	}
}

// intact reports whether no program is waiting to write to the file.
func (h hold) intact() bool {
	if !h.leased {
		return true
	}
	kind, err := unix.FcntlInt(h.file.Fd(), unix.F_GETLEASE, 0)
	return err == nil && kind == unix.F_RDLCK
}

// release does nothing, because the lease ends when the file is closed.
func (hold) release() {}

// renameOver renames a file over another file.
func (hold) renameOver(dir folder, from, to string) error { return dir.rename(from, to) }
