//go:build unix && !linux

package workspace

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// openUnnamed returns errors.ErrUnsupported, because this system has no unnamed files.
func openUnnamed(folder, uint32) (*os.File, error) { return nil, errors.ErrUnsupported }

func linkUnnamed(*os.File, folder, string) error { return errors.ErrUnsupported }

// exchangeNames returns errors.ErrUnsupported. On this system files are replaced after a last check
// of their content.
func exchangeNames(folder, string, string) error { return errors.ErrUnsupported }

// setMode sets the permissions of the file with a name in a folder. A link is not followed.
func setMode(dir folder, name string, mode fs.FileMode) error {
	fd, err := unix.Openat(dir.fd(), name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
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

// takeAttributes does nothing on this system. The attributes are lost with the old file.
func takeAttributes(*os.File, *os.File) error { return nil }

// A hold has no effect on this system.
type hold struct{}

func holdWriters(*os.File) (hold, error) { return hold{}, nil }

func (hold) intact() bool { return true }

func (hold) release() {}

// renameOver renames a file over another file.
func (hold) renameOver(dir folder, from, to string) error { return dir.rename(from, to) }
