package fsutil

import (
	"errors"
	"testing"
	"testing/synctest"
)

// A change does not run while another process holds the lock, and returns an error.
func TestLockThatIsHeld(t *testing.T) {
	t.Parallel()
	for name, locked := range map[string]func(folder string, act func() error) error{"Locked": WithLock, "LockedWithoutFile": WithFolderLock} {
		folder := t.TempDir()
		synctest.Test(t, func(t *testing.T) {
			ran := false
			err := locked(folder, func() error {
				return locked(folder, func() error { ran = true; return nil })
			})
			if !errors.Is(err, ErrLockHeld) || ran {
				t.Errorf("%s: %v, the second change ran: %t", name, err, ran)
			}
			if err := locked(folder, func() error { ran = true; return nil }); err != nil || !ran {
				t.Errorf("%s after the release: %v", name, err)
			}
		})
	}
}
