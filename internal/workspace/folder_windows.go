package workspace

import (
	"context"
	"errors"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/windows"

	"agent/internal/base/fsutil"
)

// A folder is an open folder. Its methods accept plain names of its files, and links are not
// followed.
type folder struct{ root *os.Root }

func openFolder(root *os.Root) (folder, error) {
	f, err := root.OpenRoot(".")
	return folder{f}, err
}

// open opens a file for reading. It refuses links and everything else that is not a regular file.
func (f folder) open(name string) (*os.File, error) {
	switch info, err := f.root.Lstat(name); {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fsutil.ErrNoFile
	}
	return f.root.Open(name)
}

func (f folder) create(name string, mode uint32) (*os.File, error) {
	return f.root.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, fs.FileMode(mode))
}

// writable returns an error for a read-only file, and for a file that another program has open
// without sharing write access.
func (f folder) writable(name string) error {
	if info, err := f.root.Lstat(name); err == nil && info.Mode()&0o200 == 0 {
		return errors.New("it is read-only. Clear this attribute first with: attrib -r")
	}
	file, err := f.root.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return file.Close()
}

// rename renames a file and replaces an existing file.
func (f folder) rename(from, to string) error {
	return fsutil.RetryWhileInUse(func() error { return f.root.Rename(from, to) })
}

// link creates a second name for a file, which must be free.
func (f folder) link(from, to string) error { return f.root.Link(from, to) }

// symlink creates a symbolic link at a name, which must be free.
func (f folder) symlink(leads, name string) error { return f.root.Symlink(leads, name) }

// remove removes a file, and removeFolder an empty folder.
func (f folder) remove(name string) error {
	return fsutil.RetryWhileInUse(func() error { return f.root.Remove(name) })
}
func (f folder) removeFolder(name string) error { return f.root.Remove(name) }

func (f folder) readLink(name string) (string, error) { return f.root.Readlink(name) }

// written returns the modification time of a regular file.
func (f folder) written(name string) (time.Time, error) {
	info, err := f.root.Lstat(name)
	if err != nil {
		return time.Time{}, err
	}
	if !info.Mode().IsRegular() {
		return time.Time{}, fsutil.ErrNoFile
	}
	return info.ModTime(), nil
}

func (f folder) isThere(name string) bool {
	_, err := f.root.Lstat(name)
	return err == nil
}

// flush does nothing, because the system flushes the names in a folder itself.
func (folder) flush() error { return nil }

func (f folder) close() {
	if f.root != nil {
		_ = f.root.Close()
	}
}

// letGo closes a file before it is replaced. On some file systems, an open file cannot be replaced.
func letGo(f *os.File) { _ = f.Close() }

// lockReplace waits until no other program that uses Replace replaces this file, and locks it until
// release is called. The lock is on one of some files in the temporary folder, since the file
// itself cannot be open while it is replaced. After an error nothing is locked.
func lockReplace(abs string) (release func()) {
	const most = 64
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(strings.ToLower(abs)))
	ctx, cancel := context.WithTimeout(context.Background(), 3*patience)
	defer cancel()
	unlock, err := fsutil.Lock(ctx, filepath.Join(os.TempDir(), "agent-locks"), strconv.Itoa(int(hash.Sum32()%most)))
	if err != nil {
		return func() {}
	}
	return func() { _ = unlock() }
}

// lock does nothing: see alone.
func lock(*os.File) {}

// sameFile reports whether a name in a folder refers to an open file of the same folder. It does
// not compare the disks, because Wine does not report the disk of an open file that was renamed.
func sameFile(dir folder, name string, f *os.File) bool {
	named, err := dir.open(name)
	if err != nil {
		return false
	}
	defer named.Close()
	number, ok := numberOf(named)
	open, alsoOK := numberOf(f)
	return ok && alsoOK && number == open
}

// numberOf returns the file number of an open file on its disk.
func numberOf(f *os.File) (number uint64, ok bool) {
	var info windows.ByHandleFileInformation
	if windows.GetFileInformationByHandle(windows.Handle(f.Fd()), &info) != nil {
		return 0, false
	}
	return uint64(info.FileIndexHigh)<<32 | uint64(info.FileIndexLow), true
}

// takeOver does nothing, because only writable files are replaced, and a new file inherits the
// rights from its folder.
func takeOver(*os.File, *os.File) error { return nil }

// notEmpty reports whether an error means that a folder is not empty.
func notEmpty(err error) bool {
	return errors.Is(err, windows.ERROR_DIR_NOT_EMPTY) || errors.Is(err, fs.ErrExist)
}

// openUnnamed returns errors.ErrUnsupported, because this system has no unnamed files.
func openUnnamed(folder, uint32) (*os.File, error) { return nil, errors.ErrUnsupported }

func linkUnnamed(*os.File, folder, string) error { return errors.ErrUnsupported }

// exchangeNames returns errors.ErrUnsupported. On this system files are replaced after a last check
// of their content.
func exchangeNames(folder, string, string) error { return errors.ErrUnsupported }

// setMode makes the file with a name in a folder read-only or writable.
func setMode(dir folder, name string, mode fs.FileMode) error {
	if info, err := dir.root.Lstat(name); err != nil || !info.Mode().IsRegular() {
		return errors.Join(ErrChanged, err)
	}
	return dir.root.Chmod(name, mode)
}

// A hold prevents other programs from opening a file for writing.
type hold struct{ file *os.File }

// holdWriters waits until no other program has a file open for writing, and then prevents other
// programs from opening it.
func holdWriters(f *os.File) (hold, error) {
	held, err := fsutil.ReopenReadOnly(f)
	if fsutil.IsInUse(err) {
		err = errOpen
	}
	return hold{held}, err
}

func (hold) intact() bool { return true }

func (h hold) release() {
	if h.file != nil {
		_ = h.file.Close()
	}
}

// renameOver renames a file over another file, on which there is a hold. Wine does not rename over
// an open file, so the hold ends first there.
func (h hold) renameOver(dir folder, from, to string) error {
	if err := dir.root.Rename(from, to); !fsutil.IsInUse(err) {
		return err
	}
	h.release()
	return dir.rename(from, to)
}
