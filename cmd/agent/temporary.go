package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/gofrs/flock"
)

const (
	// temporaryName begins the names of temporary folders.
	temporaryName = "agent-"
	// temporaryRandom is how many letters follow.
	temporaryRandom = 12
	// inUse is the file in a temporary folder that is locked while a program lives.
	inUse = ".in-use"
	// leftAfter is how old a folder without a lock must be to count as left behind:
	// a young one may be about to get its lock.
	leftAfter = time.Minute
)

// temporary is a folder of this program alone, made when it is needed first and
// locked for as long as the program lives.
type temporary struct {
	path string

	mu sync.Mutex
	// lock is nil as long as there is no folder; ended says that there will be none.
	lock  *flock.Flock
	ended bool
}

// newTemporary removes the folders that killed programs left behind and chooses the
// name of a new one.
func newTemporary(parent string, now time.Time) *temporary {
	sweepTemporary(parent, now)
	if real, err := filepath.EvalSymlinks(parent); err == nil {
		parent = real
	}
	return &temporary{path: filepath.Join(parent, temporaryName+rand.Text()[:temporaryRandom])}
}

// make makes the folder unless it is there.
func (t *temporary) make() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.lock != nil || t.ended {
		return nil
	}
	if err := os.Mkdir(t.path, 0o700); err != nil {
		return err
	}
	lock := flock.New(filepath.Join(t.path, inUse), flock.SetPermissions(0o600))
	if _, err := lock.TryLock(); err != nil {
		return errors.Join(fmt.Errorf("locking the temporary folder: %w", err), os.RemoveAll(t.path))
	}
	t.lock = lock
	return nil
}

// remove removes the folder for good.
func (t *temporary) remove() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ended = true
	if t.lock == nil {
		return nil
	}
	return errors.Join(removeTemporary(t.path), t.lock.Close())
}

// sweepTemporary removes the temporary folders of this user that no program holds.
// What cannot be removed stays: it is in nobody's way.
func sweepTemporary(parent string, now time.Time) {
	folders, _ := filepath.Glob(filepath.Join(parent, temporaryName+"*"))
	for _, folder := range folders {
		info, err := os.Lstat(folder)
		if err != nil || !info.IsDir() || now.Sub(info.ModTime()) < leftAfter {
			continue
		}
		if owner, ok := info.Sys().(*syscall.Stat_t); !ok || int(owner.Uid) != os.Getuid() {
			continue
		}
		if _, err := os.Lstat(filepath.Join(folder, inUse)); err != nil {
			// Not one of ours, unless its program was killed before it could lock it or
			// after it had emptied it; this removes only what is empty.
			if len(filepath.Base(folder)) == len(temporaryName)+temporaryRandom {
				_ = os.Remove(folder)
			}
			continue
		}
		lock := flock.New(filepath.Join(folder, inUse), flock.SetFlag(os.O_RDWR))
		if free, err := lock.TryLock(); err == nil && free {
			_ = removeTemporary(folder)
		}
		_ = lock.Close()
	}
}

// removeTemporary removes a temporary folder, its lock last: what a program that is
// killed meanwhile leaves of it is known for one of ours.
func removeTemporary(folder string) error {
	entries, _ := os.ReadDir(folder)
	for _, entry := range entries {
		if entry.Name() != inUse {
			_ = os.RemoveAll(filepath.Join(folder, entry.Name())) // tried again below
		}
	}
	return os.RemoveAll(folder)
}
