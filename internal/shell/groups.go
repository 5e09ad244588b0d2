package shell

import (
	"sync"
	"syscall"

	"agent/internal/sandbox"
)

// groups are the process groups of the commands that run. A watcher ends those that
// do not end with the program by themselves, should it be killed.
type groups struct {
	mu      sync.Mutex
	running map[int]bool
	watcher *sandbox.Watcher
}

// watch sees to it that there is a watcher, before a command starts. Without one the
// next start of the program sweeps.
func (g *groups) watch() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.watcher == nil {
		g.watcher, _ = sandbox.NewWatcher()
	}
}

// add notes a group, and returns what to call when it is gone.
func (g *groups) add(group int) (gone func()) {
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
func (g *groups) kill() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for group := range g.running {
		_ = syscall.Kill(-group, syscall.SIGKILL)
	}
	sandbox.EndAll()
}

// close ends the watcher for good: no group runs any more, and none will.
func (g *groups) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.watcher != nil {
		g.watcher.Close()
		g.watcher = nil
	}
}
