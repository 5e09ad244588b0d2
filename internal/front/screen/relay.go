package screen

import (
	"sync"

	"agent/internal/chat"
)

// relay hands the events of the loop to a listener that registers later than
// the loop is made.
type relay struct {
	registered chan struct{}
	once       sync.Once
	listener   func(chat.Event)
}

func newRelay() *relay { return &relay{registered: make(chan struct{})} }

// register sets the listener; the loop starts after it.
func (r *relay) register(listener func(chat.Event)) {
	r.once.Do(func() {
		r.listener = listener
		close(r.registered)
	})
}

// emit passes an event on. Events before there is a listener are dropped: nothing
// has happened yet that a screen would have to show.
func (r *relay) emit(e chat.Event) {
	select {
	case <-r.registered:
		r.listener(e)
	default:
	}
}
