package snapshot

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/gofrs/flock"
)

// lockName is the file in a store that is locked while a program has it open.
const lockName = ".in-use"

// Bounds of all stores together.
const (
	// keptFor is how long a store is kept after it was last written.
	keptFor = 30 * 24 * time.Hour
	// mostOfAll is how many bytes all of them may take.
	mostOfAll = 1 << 30
	// youngest is how old a store without a session must be to be removed: that of a
	// session that begins just now has no record yet.
	youngest = time.Hour
)

// Sweep removes what nobody needs any more from the folder of all stores: that of
// sessions that are gone, of long ago, and the oldest when all take too much. A store
// that a program has open stays. What cannot be removed stays as well.
func Sweep(folder string, now time.Time, exists func(session string) bool) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return
	}
	var kept []storeFolder
	var total int64
	for _, entry := range entries {
		if !entry.IsDir() {
			continue
		}
		f := measure(filepath.Join(folder, entry.Name()))
		age := now.Sub(f.used)
		if age > keptFor || age > youngest && !exists(entry.Name()) {
			_ = Remove(f.path)
			continue
		}
		kept = append(kept, f)
		total += f.size
	}
	slices.SortFunc(kept, func(a, b storeFolder) int { return cmp.Compare(a.used.UnixNano(), b.used.UnixNano()) })
	for _, f := range kept {
		if total <= mostOfAll {
			return
		}
		if Remove(f.path) == nil {
			total -= f.size
		}
	}
}

type storeFolder struct {
	path string
	size int64
	used time.Time
}

func measure(path string) storeFolder {
	f := storeFolder{path: path}
	if info, err := os.Stat(path); err == nil {
		f.used = info.ModTime()
	}
	_ = filepath.WalkDir(path, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return nil
		}
		if info, err := entry.Info(); err == nil {
			f.size += info.Size()
			if info.ModTime().After(f.used) {
				f.used = info.ModTime()
			}
		}
		return nil
	})
	return f
}

// errInUse is the error for a store that another program has open.
var errInUse = errors.New("a program has it open")

// Remove removes a store with all it holds, unless a program has it open. One that is
// not there is no error.
func Remove(folder string) error {
	if _, err := os.Lstat(folder); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	lock := flock.New(filepath.Join(folder, lockName), flock.SetPermissions(0o600))
	free, err := lock.TryLock()
	if err == nil && !free {
		err = errInUse
	}
	if err == nil {
		err = os.RemoveAll(folder)
	}
	return errors.Join(err, lock.Close())
}
