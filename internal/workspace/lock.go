package workspace

import (
	"errors"
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// locks keep calls of Replace and Remove from one another: those of other programs from
// all names in a folder, those of this program from the same name. So many files of a
// folder can be replaced at once.
type locks struct {
	mu      sync.Mutex
	folders map[folderID]*folderLock
}

type folderID struct{ device, inode uint64 }

// folderLock is a folder from which other programs are locked out.
type folderLock struct {
	// taken is closed when they are, over when they are not any more.
	taken, over chan struct{}
	unlock      func()
	// since is when they were locked out, zero before.
	since time.Time
	// names are those that are at work; each channel is closed when that is done.
	names map[string]chan struct{}
}

// sharedFor is how long calls of this program follow one another in a folder before other
// programs have their turn.
const sharedFor = 50 * time.Millisecond

// take locks a name in a folder until unlock.
func (l *locks) take(dir *os.File, name string) (unlock func()) {
	var at unix.Stat_t
	if unix.Fstat(int(dir.Fd()), &at) != nil {
		return lockOthersOut(dir)
	}
	id := folderID{uint64(at.Dev), at.Ino}
	for {
		f, first, wait := l.join(id, name)
		if wait != nil {
			wait()
			continue
		}
		if first {
			unlock := lockOthersOut(dir)
			l.mu.Lock()
			f.unlock, f.since = unlock, time.Now()
			l.mu.Unlock()
			close(f.taken)
		}
		<-f.taken
		return func() { l.leave(id, f, name) }
	}
}

// join takes part in the lock of a folder, as the first or a further one; or returns what
// to wait for before trying again.
func (l *locks) join(id folderID, name string) (f *folderLock, first bool, wait func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f = l.folders[id]
	switch {
	case f == nil:
		first, f = true, &folderLock{taken: make(chan struct{}), over: make(chan struct{}), names: map[string]chan struct{}{}}
		if l.folders == nil {
			l.folders = map[folderID]*folderLock{}
		}
		l.folders[id] = f
	case f.names[name] != nil:
		busy := f.names[name]
		return nil, false, func() { <-busy }
	case !f.since.IsZero() && time.Since(f.since) > sharedFor:
		over := f.over
		return nil, false, func() { <-over; time.Sleep(2 * pause) }
	}
	f.names[name] = make(chan struct{})
	return f, first, nil
}

// leave ends what was done to a name, and the lock of the folder with the last of them.
func (l *locks) leave(id folderID, f *folderLock, name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	close(f.names[name])
	delete(f.names, name)
	if len(f.names) == 0 {
		f.unlock()
		delete(l.folders, id)
		close(f.over)
	}
}

// lockOthersOut keeps other programs from the names in a folder until unlock. Where
// folders cannot be locked nobody is.
func lockOthersOut(dir *os.File) (unlock func()) {
	// A lock belongs to what was opened, so that it needs a file of its own.
	fd, err := unix.Openat(int(dir.Fd()), ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return func() {}
	}
	for waited := time.Duration(0); waited < 3*patience; waited += pause {
		if err := unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB); !errors.Is(err, syscall.EWOULDBLOCK) {
			break
		}
		time.Sleep(pause)
	}
	return func() { unix.Close(fd) }
}
