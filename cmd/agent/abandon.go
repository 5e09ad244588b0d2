package main

import "sync"

// abandon is what is done, without waiting for anything, by a program that is told
// to end a second time. It is safe for concurrent use.
type abandon struct {
	mu    sync.Mutex
	steps []func()
}

// add adds a step. The steps run in order.
func (a *abandon) add(step func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.steps = append(a.steps, step)
}

func (a *abandon) run() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, step := range a.steps {
		step()
	}
}
