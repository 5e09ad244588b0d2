// Package disk writes files of our own so that a reader, a crash or a second
// program never meets half of one: settings, prompts, exports, keys.
//
// Files of the workspace are not written here: those are confined to it and keep their
// owner, and package workspace writes them. Tree and FolderReader are for reading them.
package disk

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// Replace makes the file at path hold data, all or nothing: at every moment it is
// either the old file or the new one, and after an error the old one. It returns
// when the content is safe on disk. The file gets mode; a linked file stays a
// link, and what it leads to is replaced. The folder must exist.
func Replace(path string, data []byte, mode fs.FileMode) error {
	// People keep their configuration elsewhere and link to it.
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	temporary := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+"."+rand.Text()[:randomLetters]+".tmp")
	err := writeNew(temporary, data, mode)
	if err == nil {
		sweep(path, temporary)
		err = os.Rename(temporary, path)
	}
	if err != nil {
		return errors.Join(err, removeIfThere(temporary))
	}
	return SyncFolder(filepath.Dir(path))
}

// CreateNew makes a file that must not exist yet: what a person wrote is never
// replaced by a typing error. The error is fs.ErrExist when it does. It returns
// when the content is safe on disk; after another error there is no file.
func CreateNew(path string, data []byte, mode fs.FileMode) error {
	err := writeNew(path, data, mode)
	if err == nil {
		return SyncFolder(filepath.Dir(path))
	}
	if errors.Is(err, fs.ErrExist) {
		return err
	}
	return errors.Join(err, removeIfThere(path))
}

// writeNew creates a file, which must not exist, and flushes it.
func writeNew(path string, data []byte, mode fs.FileMode) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// ClockStep is more than the step of the clock that file systems take the times of files
// from: a file that was changed longer ago has another time after its next change.
const ClockStep = 20 * time.Millisecond

// randomLetters is how many are in the name of a temporary file.
const randomLetters = 8

// sweep removes what killed writers left beside path. A temporary file lives for
// milliseconds, so one that is an hour older than ours has no owner any more.
func sweep(path, ours string) {
	mine, err := os.Lstat(ours)
	if err != nil {
		return
	}
	folder, begin, end := filepath.Dir(path), "."+filepath.Base(path)+".", ".tmp"
	entries, _ := os.ReadDir(folder)
	for _, entry := range entries {
		name := entry.Name()
		if len(name) != len(begin)+randomLetters+len(end) || !strings.HasPrefix(name, begin) || !strings.HasSuffix(name, end) {
			continue
		}
		if info, err := entry.Info(); err == nil && mine.ModTime().Sub(info.ModTime()) > time.Hour {
			_ = os.Remove(filepath.Join(folder, name))
		}
	}
}

// SyncFolder makes the names in a folder, after a rename or a removal, last.
func SyncFolder(folder string) error {
	f, err := os.Open(folder)
	if err != nil {
		return err
	}
	err = f.Sync()
	// Some network file systems cannot flush a folder and say so; the names are as
	// safe there as they get.
	if errors.Is(err, syscall.EINVAL) {
		err = nil
	}
	return errors.Join(err, f.Close())
}

// Reason returns err without the operation and the path that errors of package os
// repeat, so that a message that names the file names it once. Other errors are
// returned as they are.
func Reason(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	var call *os.SyscallError
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	case errors.As(err, &call):
		return call.Err
	}
	return err
}

// Unlocked is why a file could not be locked. Where its disk gives no locks at all, as some
// network disks do, it says so and which variable names a folder elsewhere.
func Unlocked(err error, variable string) error {
	for _, none := range []error{syscall.ENOLCK, syscall.ENOSYS, syscall.ENOTSUP} {
		if errors.Is(err, none) {
			return fmt.Errorf("its disk gives no locks (%w), as some network disks; set %s to a folder on a local disk", Reason(err), variable)
		}
	}
	return err
}

// IsFull reports whether an error is that of a disk without room, or of a user that has
// none left on it.
func IsFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

func removeIfThere(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("%s is left behind: %w", path, Reason(err))
	}
	return nil
}
