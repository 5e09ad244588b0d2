package mcp

import (
	"sync"

	"agent/internal/sandbox"
)

// watcher is the process that ends the programs of servers should this one be killed. It
// runs while there is one of them.
var watcher keeper

type keeper struct {
	mu      sync.Mutex
	servers int
	process *sandbox.Watcher
}

// begin sees to it that the watcher runs before a program starts. Without one the next
// start of the program sweeps.
func (k *keeper) begin() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.process == nil {
		k.process, _ = sandbox.NewWatcher()
	}
}

func (k *keeper) began(group int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.servers++
	if k.process != nil {
		k.process.Began(group)
	}
}

func (k *keeper) ended(group int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.servers--
	if k.process == nil {
		return
	}
	k.process.Ended(group)
	if k.servers == 0 {
		k.process.Close()
		k.process = nil
	}
}
