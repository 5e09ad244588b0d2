package chat

import (
	"sync"

	"agent/internal/base/humanize"
)

// maxPendingBytes limits the pending output of a call while it waits for the owner, in bytes. The live
// output is only a preview, so older output may be dropped.
const maxPendingBytes = 16 << 10

// liveOutput sends the output of a call to the screen. A write never waits for the owner. Pending
// writes are joined and only their end is kept, because the answer contains the whole output.
type liveOutput struct {
	inbox inbox
	emit  func(Event)
	call  int

	mu      sync.Mutex
	waiting []byte
	// posted is set while a call of show is in the inbox.
	posted bool
}

func (o *liveOutput) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.waiting = humanize.KeepEnd(append(o.waiting, p...), maxPendingBytes)
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
