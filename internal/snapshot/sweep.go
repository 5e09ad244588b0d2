package snapshot

import (
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

// sweptName is the file in the folder of all stores whose time is that of the last sweep.
const sweptName = ".swept"

// Bounds of all stores together.
const (
	// between is how long a sweep is enough. It looks at every file of every session, which
	// would make each start dearer than the one before.
	between = time.Hour
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
// that a program has open stays. What cannot be removed stays as well. It does nothing
// when the last sweep was less than an hour ago.
func Sweep(folder string, now time.Time, exists func(session string) bool) {
	swept := filepath.Join(folder, sweptName)
	if info, err := os.Stat(swept); err == nil && now.Sub(info.ModTime()).Abs() < between {
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
	dropOldest(stores, total, mostOfAll, Remove)
}

// onDisk is a file or a folder with when it was used last.
type onDisk struct {
	path string
	size int64
	used time.Time
}

// dropOldest removes the oldest of all until the rest takes no more than most bytes, and
// returns how many that are.
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

// filesBelow are the files below a folder; what cannot be looked at is not counted.
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
