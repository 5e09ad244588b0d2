//go:build unix

package fsutil

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"

	"github.com/gofrs/flock"
)

// NoWait is the flag of an open call that does not wait for the other end of a pipe.
const NoWait = syscall.O_NONBLOCK

// Within reports whether a clean path is folder or below it. It compares the names only and
// allocates nothing.
func Within(path, folder string) bool {
	rest, ok := strings.CutPrefix(path, strings.TrimSuffix(folder, "/"))
	return path == folder || ok && strings.HasPrefix(rest, "/")
}

// A FileLock locks a file that other programs can still read.
type FileLock = flock.Flock

// NewFileLock returns a lock on a file, which must exist and is opened for reading.
func NewFileLock(path string) *FileLock { return flock.New(path, flock.SetFlag(os.O_RDONLY)) }

func newFolderLock(folder string) *flock.Flock { return NewFileLock(folder) }

// rename renames a file in a folder. It replaces an existing file with the new name.
func rename(root *os.Root, from, to string) error { return root.Rename(from, to) }

// SyncFolder flushes the names in a folder to disk, after a rename or a removal.
func SyncFolder(folder string) error {
	f, err := os.Open(folder)
	if err != nil {
		return err
	}
	err = f.Sync()
	// Some network file systems cannot flush a folder and return EINVAL. The names are then as safe
	// as that file system allows.
	if errors.Is(err, syscall.EINVAL) {
		err = nil
	}
	return errors.Join(err, f.Close())
}

// ExplainLockError explains why a file could not be locked. If the disk supports no locks, as with
// some network disks, the error states this and names the environment variable that selects another
// folder.
func ExplainLockError(err error, variable string) error {
	for _, none := range []error{syscall.ENOLCK, syscall.ENOSYS, syscall.ENOTSUP} {
		if errors.Is(err, none) {
			return fmt.Errorf("its disk does not support file locks (%w); it may be a network disk. Set %s to a folder on a local disk", Reason(err), variable)
		}
	}
	return err
}

// IsDiskFull reports whether an error means that a disk, or a user's share of the disk, is full.
func IsDiskFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// IsConnectionRefused reports whether an error means that no program listens at an address.
func IsConnectionRefused(err error) bool { return errors.Is(err, syscall.ECONNREFUSED) }

// IsBrokenPipe reports whether an error means that the reader of a pipe has closed it.
func IsBrokenPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }
