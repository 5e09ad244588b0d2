package shell

import (
	"sync"

	"agent/internal/sandbox"
)

// Groups tracks the running process groups. If the program is killed, a watcher ends the groups
// that the kernel does not end with the program.
type Groups struct {
	mu      sync.Mutex
	running map[int]bool
	watcher *sandbox.Watcher
}

// Watch starts the watcher if there is none. It must be called before the process starts. If the
// watcher cannot be started, the next start of the program ends remaining processes.
func (g *Groups) Watch() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.watcher == nil {
		g.watcher, _ = sandbox.NewWatcher()
	}
}

// Add adds a group. The caller calls gone when the group has ended.
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

// kill kills every group without waiting.
func (g *Groups) kill() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for group := range g.running {
		sandbox.KillGroup(group)
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
