// Package mailbox carries the events of the turn loop to the screen: no sender that puts
// one waits, and what comes in many small pieces arrives in few.
package mailbox

import (
	"sync"
	"time"

	"agent/internal/chat"
)

// frameTime is how often deltas reach the screen at most: thirty times a second.
const frameTime = time.Second / 30

// OutputKept bounds what waits of a command's output, in bytes: only its end is
// ever shown while it runs.
const OutputKept = 16 << 10

// Mailbox collects the turn loop's events for the model. Putting never waits.
// Deltas of one kind that follow each other become one and are delivered at most
// every frameTime; everything else is delivered at once, in order, after what
// came before it.
type Mailbox struct {
	mu      sync.Mutex
	events  []chat.Event
	urgent  bool
	arrived chan struct{}
}

// New returns an empty mailbox.
func New() *Mailbox { return &Mailbox{arrived: make(chan struct{}, 1)} }

// Put adds an event.
func (m *Mailbox) Put(event chat.Event) {
	m.mu.Lock()
	if n := len(m.events); n == 0 || !join(&m.events[n-1], event) {
		m.events = append(m.events, event)
	}
	wasUrgent := m.urgent
	m.urgent = m.urgent || !isDelta(event)
	ring := len(m.events) == 1 || m.urgent != wasUrgent
	m.mu.Unlock()
	if ring {
		select {
		case m.arrived <- struct{}{}:
		default:
		}
	}
}

// take removes everything.
func (m *Mailbox) take() []chat.Event {
	m.mu.Lock()
	defer m.mu.Unlock()
	events := m.events
	m.events, m.urgent = nil, false
	for i, event := range events {
		if d, ok := event.(*delta); ok {
			events[i] = d.event()
		}
	}
	return events
}

func (m *Mailbox) isUrgent() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.urgent
}

// Deliver sends what arrives until stop is closed.
func (m *Mailbox) Deliver(stop <-chan struct{}, send func([]chat.Event)) {
	pause := time.NewTimer(0)
	defer pause.Stop()
	for {
		select {
		case <-stop:
			return
		case <-m.arrived:
		}
		for waiting := !m.isUrgent(); waiting; {
			select {
			case <-stop:
				return
			case <-pause.C:
				waiting = false
			case <-m.arrived:
				waiting = !m.isUrgent()
			}
		}
		if events := m.take(); len(events) > 0 {
			send(events)
		}
		pause.Reset(frameTime)
	}
}
