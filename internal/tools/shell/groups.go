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

// add notes a group, and returns what to call when it is gone. Held ones need no
// watcher.
func (g *groups) add(group int, held bool) (gone func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.running == nil {
		g.running = map[int]bool{}
	}
	g.running[group] = true
	var watcher *sandbox.Watcher
	if !held {
		if g.watcher == nil {
			// Without a watcher the next start sweeps.
			g.watcher, _ = sandbox.NewWatcher()
		}
		if watcher = g.watcher; watcher != nil {
			watcher.Began(group)
		}
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

// close ends the watcher; no group runs any more.
func (g *groups) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.watcher != nil {
		g.watcher.Close()
		g.watcher, _ = sandbox.NewWatcher()
	}
}
