//go:build !linux

package sandbox

// Sweep ends what commands of programs left behind that were killed themselves; it
// is not known how on this system.
func Sweep() {}

// EndAll ends by force every process of this program's commands; it is not known how
// on this system.
func EndAll() {}

// Watcher does nothing on this system.
type Watcher struct{}

// NewWatcher returns a watcher, which does nothing on this system.
func NewWatcher() (*Watcher, error) { return &Watcher{}, nil }

// Began says that a process group of a command is there.
func (*Watcher) Began(int) {}

// Ended says that a process group is gone.
func (*Watcher) Ended(int) {}

// Close ends the watcher.
func (*Watcher) Close() {}
