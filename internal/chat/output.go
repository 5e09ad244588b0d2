package chat

import (
	"sync"

	"agent/internal/words"
)

// mostLive is how much of what a call prints waits for the owner, in bytes: what only
// passes by on a screen need not be kept.
const mostLive = 16 << 10

// liveOutput carries what a call prints to the screen. A write never waits for the owner:
// what the owner has not taken is joined, and only the end of it is kept, for the whole
// output is in the answer.
type liveOutput struct {
	inbox inbox
	emit  func(Event)
	call  int

	mu      sync.Mutex
	waiting []byte
	// posted is set while the inbox holds a show.
	posted bool
}

func (o *liveOutput) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.waiting = words.KeepEnd(append(o.waiting, p...), mostLive)
	if !o.posted {
		select {
		case o.inbox <- o.show:
			o.posted = true
		default: // a later write tries again
		}
	}
	return len(p), nil
}

// show shows what waits. The owner calls it.
func (o *liveOutput) show() {
	o.mu.Lock()
	data := string(o.waiting)
	o.waiting, o.posted = o.waiting[:0], false
	o.mu.Unlock()
	o.emit(ToolOutput{Call: o.call, Data: data})
}
