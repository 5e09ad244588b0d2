// Package tempdir makes the temporary folder of a program: one that is locked while the
// program lives, so that the next start knows what a killed one left behind.
package tempdir

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/gofrs/flock"
)

const (
	// Prefix begins the names of temporary folders.
	Prefix = "agent-"
	// random is how many letters follow.
	random = 12
	// inUse is the file in a temporary folder that is locked while a program lives.
	inUse = ".in-use"
	// leftAfter is how old a folder without a lock must be to count as left behind:
	// a young one may be about to get its lock.
	leftAfter = time.Minute
)

// Dir is a folder of this program alone. It is made when it is needed first and locked
// for as long as the program lives. It is safe for concurrent use.
type Dir struct {
	path string

	mu sync.Mutex
	// lock is nil as long as there is no folder; ended says that there will be none.
	lock  *flock.Flock
	ended bool
}

// New removes the folders that killed programs left behind in parent and chooses the
// name of a new one.
func New(parent string, now time.Time) *Dir {
	sweep(parent, now)
	if real, err := filepath.EvalSymlinks(parent); err == nil {
		parent = real
	}
	return &Dir{path: filepath.Join(parent, Prefix+rand.Text()[:random])}
}

// Beside returns another folder of this program in the same place.
func (d *Dir) Beside() *Dir {
	return &Dir{path: filepath.Join(filepath.Dir(d.path), Prefix+rand.Text()[:random])}
}

// Path is where the folder is, or will be.
func (d *Dir) Path() string { return d.path }

// Make makes the folder unless it is there.
func (d *Dir) Make() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.lock != nil || d.ended {
		return nil
	}
	if err := os.Mkdir(d.path, 0o700); err != nil {
		return err
	}
	lock := flock.New(filepath.Join(d.path, inUse), flock.SetPermissions(0o600))
	if _, err := lock.TryLock(); err != nil {
		return errors.Join(fmt.Errorf("locking the temporary folder: %w", err), os.RemoveAll(d.path))
	}
	d.lock = lock
	return nil
}

// Remove removes the folder for good.
func (d *Dir) Remove() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ended = true
	if d.lock == nil {
		return nil
	}
	return errors.Join(remove(d.path), d.lock.Close())
}

// sweep removes the temporary folders of this user that no program holds.
// What cannot be removed stays: it is in nobody's way.
func sweep(parent string, now time.Time) {
	folders, _ := filepath.Glob(filepath.Join(parent, Prefix+"*"))
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
			if len(filepath.Base(folder)) == len(Prefix)+random {
				_ = os.Remove(folder)
			}
			continue
		}
		lock := flock.New(filepath.Join(folder, inUse), flock.SetFlag(os.O_RDWR))
		if free, err := lock.TryLock(); err == nil && free {
			_ = remove(folder)
		}
		_ = lock.Close()
	}
}

// remove removes a temporary folder, its lock last: what a program that is
// killed meanwhile leaves of it is known for one of ours.
func remove(folder string) error {
	entries, _ := os.ReadDir(folder)
	for _, entry := range entries {
		if entry.Name() == inUse {
			continue
		}
		if path := filepath.Join(folder, entry.Name()); os.RemoveAll(path) != nil {
			unlock(folder, entry.Name())
			_ = os.RemoveAll(path) // tried again below
		}
	}
	return os.RemoveAll(folder)
}

// unlock lets the folders below a path in a folder be emptied. Commands leave some that
// cannot, as go does with the modules that it fetches.
func unlock(folder, name string) {
	root, err := os.OpenRoot(folder) // which no link leads out of
	if err != nil {
		return
	}
	defer root.Close()
	_ = fs.WalkDir(root.FS(), name, func(path string, entry fs.DirEntry, _ error) error {
		if entry != nil && entry.IsDir() {
			_ = root.Chmod(path, 0o700) // before it is read
		}
		return nil
	})
}
