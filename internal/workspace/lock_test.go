package workspace

import (
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Files of a folder are worked on at once, the same file is not, and other programs are
// locked out until the last is done; who comes after a while waits until they had a turn.
func TestLocks(t *testing.T) {
	t.Parallel()
	dir, err := os.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	lockedOut := func() bool {
		fd, err := unix.Open(dir.Name(), unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer unix.Close(fd)
		return unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB) != nil
	}
	l := new(locks)
	began := time.Now()
	a, b := l.take(dir, "a"), l.take(dir, "b")
	if took := time.Since(began); took > 2*patience {
		t.Errorf("the second waited: %v", took)
	}
	if len(l.folders) != 1 {
		t.Fatalf("%d folders are locked", len(l.folders))
	}
	waited := make(chan struct{})
	for id, f := range l.folders {
		if _, _, wait := l.join(id, "a"); wait == nil {
			t.Error("the same name was taken twice")
		}
		f.since = f.since.Add(-sharedFor)
		_, _, wait := l.join(id, "c")
		if wait == nil {
			t.Fatal("other programs would have no turn")
		}
		go func() { defer close(waited); wait() }()
	}
	a()
	if !lockedOut() {
		t.Error("other programs have a turn while a file is worked on")
	}
	b()
	<-waited
	if lockedOut() || len(l.folders) != 0 {
		t.Error("the folder stays locked")
	}
	l.take(dir, "a")()
}
