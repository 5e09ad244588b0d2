// Package mailbox carries the events of the turn loop to the screen: no sender that puts
// one waits, and what comes in many small pieces arrives in few.
package mailbox

import (
	"sync"
	"time"

	"agent/internal/chat"
	"agent/internal/words"
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
	waiting []letter
	urgent  bool
	arrived chan struct{}
}

// letter is an event that waits, or deltas of one text: the event without it, and the
// text as bytes, so that joining a thousand of them is not quadratic.
type letter struct {
	event chat.Event
	text  []byte
}

// New returns an empty mailbox.
func New() *Mailbox { return &Mailbox{arrived: make(chan struct{}, 1)} }

// Put adds an event.
func (m *Mailbox) Put(event chat.Event) {
	event, text, delta := opened(event)
	m.mu.Lock()
	n := len(m.waiting)
	if n == 0 || !delta || m.waiting[n-1].event != event {
		m.waiting = append(m.waiting, letter{event: event})
		n++
	}
	last := &m.waiting[n-1]
	last.text = append(last.text, text...)
	if _, output := event.(chat.ToolOutput); output {
		last.text = words.KeepEnd(last.text, OutputKept)
	}
	wasUrgent := m.urgent
	m.urgent = m.urgent || !delta
	ring := n == 1 || m.urgent != wasUrgent
	m.mu.Unlock()
	if ring {
		select {
		case m.arrived <- struct{}{}:
		default:
		}
	}
}

// opened is a delta without its text, and the text. Other events stay as they are.
func opened(event chat.Event) (bare chat.Event, text string, delta bool) {
	switch e := event.(type) {
	case chat.TextDelta:
		return chat.TextDelta{}, e.Delta, true
	case chat.ReasoningDelta:
		return chat.ReasoningDelta{}, e.Delta, true
	case chat.ToolOutput:
		return chat.ToolOutput{Call: e.Call}, e.Data, true
	}
	return event, "", false
}

// whole is the event with its text.
func (l letter) whole() chat.Event {
	switch e := l.event.(type) {
	case chat.TextDelta:
		return chat.TextDelta{Delta: string(l.text)}
	case chat.ReasoningDelta:
		return chat.ReasoningDelta{Delta: string(l.text)}
	case chat.ToolOutput:
		return chat.ToolOutput{Call: e.Call, Data: string(l.text)}
	}
	return l.event
}

// take removes everything.
func (m *Mailbox) take() (events []chat.Event) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, letter := range m.waiting {
		events = append(events, letter.whole())
	}
	m.waiting, m.urgent = nil, false
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
