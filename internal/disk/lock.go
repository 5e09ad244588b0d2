package disk

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

const (
	// lockTimeout bounds the wait for a change by another program. A change takes milliseconds,
	// so a longer wait means that something hangs.
	lockTimeout = 5 * time.Second
	lockPoll    = 5 * time.Millisecond
)

// ErrHeld begins the error of a lock that another program did not release in time.
var ErrHeld = errors.New("another program holds")

// Locked runs act while no other program that uses Locked changes the files in folder, which is
// created if necessary. If act changes a file, act should read the file as well, not the caller
// before.
func Locked(folder string, act func() error) error {
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

// LockedWithoutFile does the work of Locked for an existing folder in which no lock file may be
// left, such as a repository: it locks the folder itself. On systems that cannot lock folders,
// such as NFS, act runs unlocked.
func LockedWithoutFile(folder string, act func() error) error {
	ctx, cancel := context.WithTimeout(context.Background(), lockTimeout)
	defer cancel()
	lock := flock.New(folder, flock.SetFlag(os.O_RDONLY))
	defer lock.Close()
	if _, err := lock.TryLockContext(ctx, lockPoll); errors.Is(err, context.DeadlineExceeded) {
		return held(folder)
	}
	return act()
}

func held(what string) error {
	return fmt.Errorf("%w %s; nothing was saved, try again when it is done", ErrHeld, what)
}

// Lock waits until ctx ends for a lock of this name in folder, which is created if necessary.
// unlock releases the lock.
func Lock(ctx context.Context, folder, name string) (unlock func() error, err error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	lock := flock.New(filepath.Join(folder, name), flock.SetPermissions(0o600))
	_, err = lock.TryLockContext(ctx, lockPoll)
	return lock.Close, err
}
