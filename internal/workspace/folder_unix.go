//go:build unix

package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"agent/internal/base/fsutil"
)

// A folder is an open folder. Its methods accept plain names of its files, and links are not
// followed.
type folder struct{ file *os.File }

func openFolder(root *os.Root) (folder, error) {
	f, err := root.Open(".")
	return folder{f}, err
}

func (f folder) fd() int { return int(f.file.Fd()) }

// open opens a file for reading. It does not wait for a writer of a pipe.
func (f folder) open(name string) (*os.File, error) {
	fd, err := unix.Openat(f.fd(), name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), name), nil
}

func (f folder) create(name string, mode uint32) (*os.File, error) {
	fd, err := unix.Openat(f.fd(), name, unix.O_RDWR|unix.O_CREAT|unix.O_EXCL|unix.O_CLOEXEC, mode)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), "new file"), nil
}

// writable returns an error for a file that this program may not write.
func (f folder) writable(name string) error {
	return unix.Faccessat(f.fd(), name, unix.W_OK, unix.AT_EACCESS)
}

// rename renames a file and replaces an existing file.
func (f folder) rename(from, to string) error { return unix.Renameat(f.fd(), from, f.fd(), to) }

// link creates a second name for a file, which must be free.
func (f folder) link(from, to string) error { return unix.Linkat(f.fd(), from, f.fd(), to, 0) }

// symlink creates a symbolic link at a name, which must be free.
func (f folder) symlink(leads, name string) error { return unix.Symlinkat(leads, f.fd(), name) }

// remove removes a file, and removeFolder an empty folder.
func (f folder) remove(name string) error { return unix.Unlinkat(f.fd(), name, 0) }

func (f folder) removeFolder(name string) error {
	return unix.Unlinkat(f.fd(), name, unix.AT_REMOVEDIR)
}

func (f folder) readLink(name string) (string, error) {
	buffer := make([]byte, unix.PathMax)
	n, err := unix.Readlinkat(f.fd(), name, buffer)
	return string(buffer[:max(n, 0)]), err
}

// written returns the modification time of a regular file.
func (f folder) written(name string) (time.Time, error) {
	var stat unix.Stat_t
	err := unix.Fstatat(f.fd(), name, &stat, unix.AT_SYMLINK_NOFOLLOW)
	if err == nil && stat.Mode&unix.S_IFMT != unix.S_IFREG {
		err = fsutil.ErrNoFile
	}
	return time.Unix(stat.Mtim.Unix()), err
}

func (f folder) isThere(name string) bool {
	var stat unix.Stat_t
	return unix.Fstatat(f.fd(), name, &stat, unix.AT_SYMLINK_NOFOLLOW) == nil
}

// flush writes the names in the folder to disk.
func (f folder) flush() error {
	// Some network file systems cannot flush a folder and return EINVAL. There is no better method
	// for the names there.
	if err := f.file.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) {
		return err
	}
	return nil
}

// lockReplace does nothing, because programs that replace a file wait for the lock of the file
// itself.
func lockReplace(string) (release func()) { return func() {} }

func (f folder) close() {
	if f.file != nil {
		_ = f.file.Close()
	}
}

// letGo does nothing, because an open file can be renamed and removed.
func letGo(*os.File) {}

// lock waits until no other program has locked the file, and locks it until the file is closed. On
// a system without file locks it does nothing.
func lock(f *os.File) {
	for waited := time.Duration(0); waited < 3*patience; waited += pause {
		if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); !errors.Is(err, unix.EWOULDBLOCK) {
			return
		}
		time.Sleep(pause)
	}
}

func sameFile(dir folder, name string, f *os.File) bool {
	var named, open unix.Stat_t
	return unix.Fstatat(dir.fd(), name, &named, unix.AT_SYMLINK_NOFOLLOW) == nil &&
		unix.Fstat(int(f.Fd()), &open) == nil && named.Dev == open.Dev && named.Ino == open.Ino
}

// takeOver copies the owner, the mode and the attributes of the file that will be replaced to the
// new file.
func takeOver(f, old *os.File) error {
	own, err := f.Stat()
	if err != nil {
		return err
	}
	info, err := old.Stat()
	if err != nil {
		return err
	}
	was, is := info.Sys().(*syscall.Stat_t), own.Sys().(*syscall.Stat_t)
	if was.Uid != is.Uid || was.Gid != is.Gid {
		if err := f.Chown(int(was.Uid), int(was.Gid)); err != nil {
			return fmt.Errorf("can't preserve its owner (user %d, group %d): %w", was.Uid, was.Gid, fsutil.Reason(err))
		}
	}
	if err := f.Chmod(info.Mode()); err != nil {
		return err
	}
	return takeAttributes(f, old)
}

// notEmpty reports whether an error means that a folder is not empty.
func notEmpty(err error) bool {
	return errors.Is(err, syscall.ENOTEMPTY) || errors.Is(err, fs.ErrExist)
}
