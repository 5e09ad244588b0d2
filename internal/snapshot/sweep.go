package snapshot

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/gofrs/flock"

	"agent/internal/base/fsutil"
)

// lockName is a file in each store, which is locked while a program has the store open.
const lockName = ".in-use"

// sweptName is a file in the folder of all stores. Its modification time is the time of the last
// sweep.
const sweptName = ".swept"

// Limits of all stores together.
const (
	// sweepInterval is the time between two sweeps. A sweep reads the metadata of every file of every
	// session, which would be too slow at each program start.
	sweepInterval = time.Hour
	// keptFor is the time after the last write for which a store is kept.
	keptFor = 30 * 24 * time.Hour
	// maxTotalBytes is the largest total size of all stores, in bytes.
	maxTotalBytes = 1 << 30
	// youngest is the least age of a store without a session for its removal. A session that has
	// just started has a store but no record yet.
	youngest = time.Hour
)

// Sweep removes stores from the folder of all stores. It removes stores without a session, old
// stores, and the oldest stores if all stores together are too large. It keeps a store that a
// program has open, and ignores errors. It does nothing if the last sweep was less than between
// ago.
func Sweep(folder string, now time.Time, exists func(session string) bool) {
	swept := filepath.Join(folder, sweptName)
	if info, err := os.Stat(swept); err == nil && now.Sub(info.ModTime()).Abs() < sweepInterval {
		return
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return
	}
	if os.WriteFile(swept, nil, 0o600) == nil {
		_ = os.Chtimes(swept, now, now)
	}
	var stores []onDisk
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
		stores = append(stores, f)
		total += f.size
	}
	dropOldest(stores, total, maxTotalBytes, Remove)
}

// onDisk is a file or a folder with the time of its last use.
type onDisk struct {
	path string
	size int64
	used time.Time
}

// dropOldest removes the oldest files until the total size of the rest is at most most bytes, and
// returns that size.
func dropOldest(all []onDisk, size, most int64, remove func(path string) error) int64 {
	slices.SortFunc(all, func(a, b onDisk) int { return a.used.Compare(b.used) })
	for _, one := range all {
		if size > most && remove(one.path) == nil {
			size -= one.size
		}
	}
	return size
}

func measure(path string) onDisk {
	f := onDisk{path: path}
	if info, err := os.Stat(path); err == nil {
		f.used = info.ModTime()
	}
	for _, file := range filesBelow(path) {
		f.size += file.size
		if file.used.After(f.used) {
			f.used = file.used
		}
	}
	return f
}

// filesBelow returns the files below a folder. It skips files whose metadata cannot be read.
func filesBelow(folder string) []onDisk {
	var files []onDisk
	_ = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return nil
		}
		if info, err := entry.Info(); err == nil {
			files = append(files, onDisk{path, info.Size(), info.ModTime()})
		}
		return nil
	})
	return files
}

// errInUse is the error for a store that another program has open.
var errInUse = errors.New("another program has the undo store open")

// inUse reports whether a program has a store open.
func inUse(folder string) bool {
	lock := fsutil.NewFileLock(filepath.Join(folder, lockName))
	free, err := lock.TryLock()
	return errors.Join(err, lock.Close()) == nil && !free
}

// Remove deletes a store with all its contents, unless another program has it open. A missing store is no
// error.
func Remove(folder string) error {
	if _, err := os.Lstat(folder); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	lock := flock.New(filepath.Join(folder, lockName), flock.SetPermissions(0o600))
	free, err := lock.TryLock()
	if err == nil && !free {
		err = errInUse
	}
	if err != nil {
		return errors.Join(err, lock.Close())
	}
	return fsutil.RemoveLocked(folder, lock)
}
