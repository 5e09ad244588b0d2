// Package tempdir makes the temporary folder of a program. The folder is locked while the program
// lives, so that a later start can recognise and remove the folder of a killed program.
package tempdir

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"agent/internal/base/fsutil"
)

const (
	// Prefix begins the names of temporary folders.
	Prefix = "agent-"
	// random is the number of random letters after Prefix.
	random = 12
	// inUse is the file in a temporary folder that is locked while the program lives.
	inUse = ".in-use"
	// leftAfter is the age at which a folder without a lock counts as left behind: a younger
	// folder may be about to get its lock.
	leftAfter = time.Minute
)

// A Dir is a temporary folder of this program alone. It is made at its first use, and locked as
// long as the program lives. A Dir is safe for concurrent use.
type Dir struct {
	path string

	mu sync.Mutex
	// lock is nil while there is no folder. ended is set after Remove, when no folder is made any
	// more.
	lock  *flock.Flock
	ended bool
}

// New removes the folders that killed programs left in parent, and chooses the name of a new one.
func New(parent string, now time.Time) *Dir {
	sweep(parent, now)
	if real, err := filepath.EvalSymlinks(parent); err == nil {
		parent = real
	}
	return &Dir{path: filepath.Join(parent, Prefix+rand.Text()[:random])}
}

// Sibling returns another folder of this program in the same place.
func (d *Dir) Sibling() *Dir {
	return &Dir{path: filepath.Join(filepath.Dir(d.path), Prefix+rand.Text()[:random])}
}

// Path returns the path of the folder, even if the folder does not exist yet.
func (d *Dir) Path() string { return d.path }

// Make makes the folder unless it exists.
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

// Remove removes the folder permanently.
func (d *Dir) Remove() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ended = true
	if d.lock == nil {
		return nil
	}
	return remove(d.path, d.lock)
}

// sweep removes the temporary folders of this user that no program uses. It ignores errors: a
// folder that stays does no harm.
func sweep(parent string, now time.Time) {
	folders, _ := filepath.Glob(filepath.Join(parent, Prefix+"*"))
	for _, folder := range folders {
		info, err := os.Lstat(folder)
		if err != nil || !info.IsDir() || now.Sub(info.ModTime()) < leftAfter {
			continue
		}
		if !fsutil.OwnedByUser(info) {
			continue
		}
		if _, err := os.Lstat(filepath.Join(folder, inUse)); err != nil {
			// This is not our folder, unless its program was killed before locking or after
			// emptying it. Only an empty folder is removed.
			if len(filepath.Base(folder)) == len(Prefix)+random {
				_ = os.Remove(folder)
			}
			continue
		}
		lock := flock.New(filepath.Join(folder, inUse), flock.SetFlag(os.O_RDWR))
		if free, err := lock.TryLock(); err == nil && free {
			_ = remove(folder, lock)
		} else {
			_ = lock.Close()
		}
	}
}

// remove removes a temporary folder and releases its lock, which goes last: if the program is killed
// in the meantime, the rest can still be recognised as ours.
func remove(folder string, lock *flock.Flock) error {
	entries, _ := os.ReadDir(folder)
	for _, entry := range entries {
		if entry.Name() == inUse {
			continue
		}
		if path := filepath.Join(folder, entry.Name()); os.RemoveAll(path) != nil {
			unlock(folder, entry.Name())
			_ = os.RemoveAll(path) // the loop below removes it again
		}
	}
	return fsutil.RemoveLocked(folder, lock)
}

// unlock allows removing the files in the folders below a path. Commands leave some folders
// without that permission, as go does with the modules that it fetches.
func unlock(folder, name string) {
	root, err := os.OpenRoot(folder) // no link leads out of an os.Root
	if err != nil {
		return
	}
	defer root.Close()
	_ = fs.WalkDir(root.FS(), name, func(path string, entry fs.DirEntry, _ error) error {
		if entry != nil && entry.IsDir() {
			_ = root.Chmod(path, 0o700) // the permissions must be private before the copy is read
		}
		return nil
	})
}
