package workspace

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"agent/internal/disk"
	"agent/internal/ignore"
)

// Temporary files have these around a random middle.
const (
	temporaryPrefix = ".agent-"
	temporarySuffix = ".tmp"
)

// temporary is a file on its way to its place. It has no name before it is
// complete, where the system can do that, so that a program that is killed leaves
// nothing behind.
type temporary struct {
	*os.File
	dir  *os.File
	mode uint32
	// old is the file that it will replace, nil for none, and fill writes its content.
	old  *os.File
	fill func(io.Writer) error
	// path is its name in dir, empty as long as it has none.
	path string
	// written is what it was when it was complete.
	written fs.FileInfo
}

// newTemporary makes a file in a folder, with what it takes over from the old one, and makes
// it safe on disk.
func newTemporary(dir *os.File, mode uint32, old *os.File, fill func(io.Writer) error) (*temporary, error) {
	f := &temporary{dir: dir, mode: mode, old: old, fill: fill}
	fd, err := openUnnamed(dir, mode)
	if err != nil {
		return f, f.makeNamed()
	}
	f.File = os.NewFile(uintptr(fd), "new file")
	return f, f.complete()
}

// makeNamed makes the file with a temporary name from the start, instead of one that has none.
func (f *temporary) makeNamed() error {
	if f.File != nil {
		f.Close()
	}
	name := temporaryName()
	fd, err := unix.Openat(int(f.dir.Fd()), name, unix.O_RDWR|unix.O_CREAT|unix.O_EXCL|unix.O_CLOEXEC, f.mode)
	if err != nil {
		return err
	}
	f.File, f.path = os.NewFile(uintptr(fd), "new file"), name
	return f.complete()
}

func temporaryName() string { return temporaryPrefix + rand.Text() + temporarySuffix }

// complete fills the file, or discards it.
func (f *temporary) complete() error {
	err := f.fill(f.File)
	if err == nil && f.old != nil {
		err = takeOver(f.File, f.old)
	}
	if err == nil {
		err = f.Sync()
	}
	if err == nil {
		f.written, err = f.Stat()
	}
	if err != nil {
		f.discard()
	}
	return err
}

// changed reports whether somebody wrote to the file since it was complete.
func (f *temporary) changed() bool {
	now, err := f.Stat()
	return err != nil || now.Size() != f.written.Size() || !now.ModTime().Equal(f.written.ModTime())
}

// link gives the file its name, which must be free.
func (f *temporary) link(name string) error {
	if f.path == "" {
		if err := linkUnnamed(f.File, f.dir, name); !noLinks(err) {
			return err
		}
		if err := f.makeNamed(); err != nil {
			return err
		}
	}
	fd := int(f.dir.Fd())
	if err := unix.Linkat(fd, f.path, fd, name, 0); !noLinks(err) {
		return err
	}
	// This file system gives a file one name only.
	var there unix.Stat_t
	if err := unix.Fstatat(fd, name, &there, unix.AT_SYMLINK_NOFOLLOW); err == nil {
		return fs.ErrExist
	}
	if err := unix.Renameat(fd, f.path, fd, name); err != nil {
		return err
	}
	f.path = ""
	return nil
}

// giveName gives the file a temporary name if it has none.
func (f *temporary) giveName() error {
	if f.path != "" {
		return nil
	}
	name := temporaryName()
	err := linkUnnamed(f.File, f.dir, name)
	if noLinks(err) {
		return f.makeNamed()
	}
	if err == nil {
		f.path = name
	}
	return err
}

// noLinks reports whether an error is that of a file system, or a sandbox, that gives no
// file a further name.
func noLinks(err error) bool {
	return slices.ContainsFunc([]error{syscall.EPERM, syscall.EACCES, syscall.ENOTSUP, syscall.ENOSYS, syscall.EMLINK, syscall.EXDEV}, func(no error) bool { return errors.Is(err, no) })
}

// discard closes the file and removes what has its temporary name.
func (f *temporary) discard() {
	f.Close()
	if f.path != "" {
		// What cannot be removed is swept later.
		_ = unix.Unlinkat(int(f.dir.Fd()), f.path, 0)
	}
}

// takeOver gives a file the owner, the mode and the attributes of the one it will
// replace.
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
			return fmt.Errorf("its owner (user %d, group %d) could not be kept: %w", was.Uid, was.Gid, disk.Reason(err))
		}
	}
	if err := f.Chmod(info.Mode()); err != nil {
		return err
	}
	return takeAttributes(f, old)
}

// sweepAge is how old a temporary file is that nobody needs any more: those in use
// are there for milliseconds.
const sweepAge = time.Minute

// Sweep removes the temporary files that killed programs left in the workspace, as
// far as git does not ignore them. It is for the start of a program.
func (w *Workspace) Sweep(ctx context.Context, now time.Time) {
	files, err := ignore.Matching(ctx, w.root, w.root, isTemporary)
	if err != nil {
		return
	}
	for _, file := range files {
		// What cannot be removed now is swept later.
		_ = w.inFolder(filepath.Join(w.root, filepath.FromSlash(file)), "remove", func(t target) error {
			var stray unix.Stat_t
			err := unix.Fstatat(t.fd(), t.name, &stray, unix.AT_SYMLINK_NOFOLLOW)
			if err != nil || stray.Mode&unix.S_IFMT != unix.S_IFREG || now.Sub(time.Unix(stray.Mtim.Unix())) <= sweepAge {
				return err
			}
			return unix.Unlinkat(t.fd(), t.name, 0)
		})
	}
}

// isTemporary reports whether a path is that of a temporary file of ours.
func isTemporary(file string) bool {
	name := path.Base(file)
	return strings.HasPrefix(name, temporaryPrefix) && strings.HasSuffix(name, temporarySuffix) && len(name) == len(temporaryName())
}
