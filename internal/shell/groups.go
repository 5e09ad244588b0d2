package shell

import (
	"sync"
	"syscall"

	"agent/internal/sandbox"
)

// Groups are process groups that run. A watcher ends those that do not end with the
// program by themselves, should it be killed.
type Groups struct {
	mu      sync.Mutex
	running map[int]bool
	watcher *sandbox.Watcher
}

// Watch starts the watcher if there is none, before a process starts. Without one the
// next start of the program sweeps.
func (g *Groups) Watch() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.watcher == nil {
		g.watcher, _ = sandbox.NewWatcher()
	}
}

// Add notes a group, and returns what to call when it is gone.
func (g *Groups) Add(group int) (gone func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.running == nil {
		g.running = map[int]bool{}
	}
	g.running[group] = true
	watcher := g.watcher
	if watcher != nil {
		watcher.Began(group)
	}
	return func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		delete(g.running, group)
		if watcher != nil {
			watcher.Ended(group)
		}
	}
}

// kill ends every group at once.
func (g *Groups) kill() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for group := range g.running {
		_ = syscall.Kill(-group, syscall.SIGKILL)
	}
	sandbox.EndAll()
}

// Close ends the watcher if no group runs any more.
func (g *Groups) Close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.watcher != nil && len(g.running) == 0 {
		g.watcher.Close()
		g.watcher = nil
	}
}
