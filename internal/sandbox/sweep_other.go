//go:build !linux

package sandbox

// EndLeftovers does nothing on this system. On Linux it ends the remaining processes of programs that were
// killed.
func EndLeftovers() {}

// Watcher does nothing on this system.
type Watcher struct{}

// NewWatcher returns a Watcher.
func NewWatcher() (*Watcher, error) { return &Watcher{}, nil }

// Began does nothing.
func (*Watcher) Began(int) {}

// Ended does nothing.
func (*Watcher) Ended(int) {}

// Close does nothing.
func (*Watcher) Close() {}
