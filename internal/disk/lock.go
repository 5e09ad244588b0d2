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
	// lockTimeout is how long a change waits for another program's; one takes
	// milliseconds, so a longer wait means that something hangs.
	lockTimeout = 5 * time.Second
	lockPoll    = 5 * time.Millisecond
)

// ErrHeld begins the error of a lock that another program did not release in time.
var ErrHeld = errors.New("another program holds")

// Locked runs act while no other program that uses Locked changes the files in folder,
// which is created if need be. What is read, changed and written again belongs inside.
func Locked(folder string, act func() error) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	lock := flock.New(filepath.Join(folder, ".lock"), flock.SetPermissions(0o600))
	ctx, cancel := context.WithTimeout(context.Background(), lockTimeout)
	defer cancel()
	if _, err := lock.TryLockContext(ctx, lockPoll); err != nil {
		if errors.Is(err, context.DeadlineExceeded) {
			return fmt.Errorf("%w %s; nothing was saved, try again when it is done", ErrHeld, lock.Path())
		}
		return err
	}
	return errors.Join(act(), lock.Close())
}
