package fsutil

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/gofrs/flock"
)

const (
	// lockTimeout is the longest wait for another program. A change lasts milliseconds, so a
	// longer wait means that the other program hangs.
	lockTimeout = 5 * time.Second
	lockPoll    = 5 * time.Millisecond
)

// ErrLockHeld is wrapped by the error for a lock that another program did not release in time.
var ErrLockHeld = errors.New("another program has locked")

// WithLock runs act while it holds a lock on folder. No other program that uses WithLock changes
// the files in folder in the meantime. WithLock creates the folder if necessary. If act changes a
// file, act should read the file itself, because another program may have changed it before the
// lock.
func WithLock(folder string, act func() error) error {
	const name = ".lock"
	ctx, cancel := context.WithTimeout(context.Background(), lockTimeout)
	defer cancel()
	unlock, err := Lock(ctx, folder, name)
	if errors.Is(err, context.DeadlineExceeded) {
		return held(filepath.Join(folder, name))
	}
	if err != nil {
		return err
	}
	return errors.Join(act(), unlock())
}

// UpdateFile replaces the content of a private file by the result of change, which runs under the lock
// of WithLock. Concurrent changes by several programs therefore all take effect. content is nil if
// the file is missing. If change returns an error, the file stays unchanged.
func UpdateFile(path string, change func(content []byte) ([]byte, error)) error {
	return WithLock(filepath.Dir(path), func() error {
		content, err := Read(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if content, err = change(content); err != nil {
			return err
		}
		return Target{Path: path, Mode: 0o600, Locked: true}.Replace(content)
	})
}

// WithFolderLock is like WithLock for a folder in which no lock file may remain, such as a
// repository. The folder must exist. WithFolderLock locks the folder itself. On file systems
// without folder locks, such as NFS, act runs without a lock.
func WithFolderLock(folder string, act func() error) error {
	ctx, cancel := context.WithTimeout(context.Background(), lockTimeout)
	defer cancel()
	lock := newFolderLock(folder)
	defer lock.Close()
	if _, err := lock.TryLockContext(ctx, lockPoll); errors.Is(err, context.DeadlineExceeded) {
		return held(folder)
	}
	return act()
}

func held(what string) error {
	return fmt.Errorf("%w %s; nothing was saved. Try again later", ErrLockHeld, what)
}

// Lock waits for a lock with this name in folder until ctx ends. It creates the folder if
// necessary. unlock releases the lock.
func Lock(ctx context.Context, folder, name string) (unlock func() error, err error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	lock := flock.New(filepath.Join(folder, name), flock.SetPermissions(0o600))
	_, err = lock.TryLockContext(ctx, lockPoll)
	return lock.Close, err
}

// RemoveLocked removes a folder and releases its lock. The lock is a file in the folder and is
// removed last.
func RemoveLocked(folder string, lock *flock.Flock) error {
	if runtime.GOOS != "windows" {
		return errors.Join(os.RemoveAll(folder), lock.Close())
	}
	entries, err := os.ReadDir(folder)
	for _, entry := range entries {
		if entry.Name() != filepath.Base(lock.Path()) {
			err = errors.Join(err, os.RemoveAll(filepath.Join(folder, entry.Name())))
		}
	}
	// Windows cannot remove the lock file while it is open.
	return errors.Join(err, lock.Close(), os.RemoveAll(folder))
}
