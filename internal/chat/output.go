package chat

import (
	"sync"

	"agent/internal/base/humanize"
)

// mostLive limits the output of a call that waits for the owner, in bytes. The output is only
// shown in passing, so older output may be dropped.
const mostLive = 16 << 10

// liveOutput carries the output of a call to the screen. A write never waits for the owner:
// pending writes are joined and only their end is kept, for the answer has the whole output.
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
	o.waiting = humanize.KeepEnd(append(o.waiting, p...), mostLive)
	if !o.posted {
		select {
		case o.inbox.acts <- o.show:
			o.posted = true
		default: // a later write tries again
		}
	}
	return len(p), nil
}

// show emits the pending output. Only the owner calls it.
func (o *liveOutput) show() {
	o.mu.Lock()
	data := string(o.waiting)
	o.waiting, o.posted = o.waiting[:0], false
	o.mu.Unlock()
	o.emit(ToolOutput{Call: o.call, Data: data})
}
