// Package tempdir creates the temporary folder of a program. The folder is locked while the program
// runs, so that a later start can recognize and remove the folder of a killed program.
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
	// inUse is the file in a temporary folder that is locked while the program runs.
	inUse = ".in-use"
	// leftAfter is the age from which a folder without a lock counts as abandoned. The program of a
	// younger folder may be about to lock it.
	leftAfter = time.Minute
)

// A Dir is a temporary folder of this program. It is created at first use, and locked as long as
// the program runs. A Dir is safe for concurrent use.
type Dir struct {
	path string

	mu sync.Mutex
	// lock is nil while there is no folder. ended is set by Remove; no folder is created after
	// that.
	lock  *flock.Flock
	ended bool
}

// New removes the folders in parent that killed programs left, and chooses the name of a new
// folder. It does not create the folder.
func New(parent string, now time.Time) *Dir {
	sweep(parent, now)
	if real, err := filepath.EvalSymlinks(parent); err == nil {
		parent = real
	}
	return &Dir{path: filepath.Join(parent, Prefix+rand.Text()[:random])}
}

// Sibling returns another temporary folder of this program in the same parent folder.
func (d *Dir) Sibling() *Dir {
	return &Dir{path: filepath.Join(filepath.Dir(d.path), Prefix+rand.Text()[:random])}
}

// Path returns the path of the folder, which may not exist yet.
func (d *Dir) Path() string { return d.path }

// Make creates the folder unless it exists.
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
		return errors.Join(fmt.Errorf("can't lock the temporary folder: %w", err), os.RemoveAll(d.path))
	}
	d.lock = lock
	return nil
}

// Remove removes the folder. The folder is not created again.
func (d *Dir) Remove() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ended = true
	if d.lock == nil {
		return nil
	}
	return remove(d.path, d.lock)
}

// sweep removes the temporary folders of this user that no program uses. It ignores errors, because
// a remaining folder does no harm.
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
			// The folder belongs to another program, unless a program of ours was killed before
			// locking or after emptying it. Only an empty folder is removed.
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

// remove removes a temporary folder and releases its lock. The lock file is removed last. If the
// program is killed before that, a later start still recognizes the folder.
func remove(folder string, lock *flock.Flock) error {
	entries, _ := os.ReadDir(folder)
	for _, entry := range entries {
		if entry.Name() == inUse {
			continue
		}
		if path := filepath.Join(folder, entry.Name()); os.RemoveAll(path) != nil {
			unlock(folder, entry.Name())
			_ = os.RemoveAll(path) // RemoveLocked below removes it again
		}
	}
	return fsutil.RemoveLocked(folder, lock)
}

// unlock sets the permission to remove files in all folders below a path. Some commands create
// folders without this permission, such as go for the modules that it fetches.
func unlock(folder, name string) {
	root, err := os.OpenRoot(folder) // an os.Root follows no link that leads outside
	if err != nil {
		return
	}
	defer root.Close()
	_ = fs.WalkDir(root.FS(), name, func(path string, entry fs.DirEntry, _ error) error {
		if entry != nil && entry.IsDir() {
			_ = root.Chmod(path, 0o700) // others must never gain access
		}
		return nil
	})
}
