package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/gofrs/flock"
)

const (
	// temporaryName begins the names of temporary folders.
	temporaryName = "agent-"
	// inUse is the file in a temporary folder that is locked while a program lives.
	inUse = ".in-use"
	// leftAfter is how old a folder without a lock must be to count as left behind:
	// a young one may be about to get its lock.
	leftAfter = time.Minute
)

// newTemporary makes a temporary folder for this program, locked for as long as it
// lives, after it has removed those that killed ones left behind.
func newTemporary(parent string, now time.Time) (dir string, remove func() error, err error) {
	sweepTemporary(parent, now)
	if dir, err = os.MkdirTemp(parent, temporaryName); err != nil {
		return "", nil, fmt.Errorf("making a temporary folder: %w; set TMPDIR to a folder that can be written", err)
	}
	lock := flock.New(filepath.Join(dir, inUse), flock.SetPermissions(0o600))
	if _, err := lock.TryLock(); err != nil {
		return "", nil, errors.Join(fmt.Errorf("locking the temporary folder: %w", err), os.RemoveAll(dir))
	}
	return dir, func() error { return errors.Join(os.RemoveAll(dir), lock.Close()) }, nil
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
			continue // not one of ours
		}
		lock := flock.New(filepath.Join(folder, inUse), flock.SetFlag(os.O_RDWR))
		if free, err := lock.TryLock(); err == nil && free {
			_ = os.RemoveAll(folder)
		}
		_ = lock.Close()
	}
}
