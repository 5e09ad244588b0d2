// Package mailbox delivers the events of the turn loop to the screen. Senders never wait, and many small
// deltas are joined into a few larger ones.
package mailbox

import (
	"sync"
	"time"

	"agent/internal/base/humanize"
	"agent/internal/chat"
)

// frameTime is the shortest time between two deliveries of deltas: thirty per second.
const frameTime = time.Second / 30

// MaxOutputBytes limits the waiting bytes of a command's output. While the command runs, the screen shows
// only the end of its output.
const MaxOutputBytes = 16 << 10

// Mailbox collects the turn loop's events for the model. Put never waits. Adjacent deltas of one kind are
// joined and delivered at most once in frameTime. All other events are delivered immediately. The order of
// events does not change.
type Mailbox struct {
	mu      sync.Mutex
	waiting []letter
	urgent  bool
	arrived chan struct{}
}

// letter is a waiting event, or joined deltas. It stores joined deltas as the event without its text, and
// the text as bytes, so that joining a thousand deltas is not quadratic.
type letter struct {
	event chat.Event
	text  []byte
}

// New returns an empty mailbox.
func New() *Mailbox { return &Mailbox{arrived: make(chan struct{}, 1)} }

// Put adds an event. In the conversations of subagents, it drops most events and keeps the texts that can
// be read in full. These texts are not urgent, because the screen shows only the state of subagents.
func (m *Mailbox) Put(event chat.Event) {
	agents, ofAgent := event.(chat.AgentEvent)
	if ofAgent {
		switch agents.Event.(type) {
		case chat.UserMessage, chat.ReplyEnded, chat.ToolEnded:
		default:
			return
		}
	}
	event, text, delta := splitDelta(event)
	m.mu.Lock()
	n := len(m.waiting)
	if n == 0 || !delta || m.waiting[n-1].event != event {
		m.waiting = append(m.waiting, letter{event: event})
		n++
	}
	last := &m.waiting[n-1]
	last.text = append(last.text, text...)
	if _, output := event.(chat.ToolOutput); output {
		last.text = humanize.KeepEnd(last.text, MaxOutputBytes)
	}
	wasUrgent := m.urgent
	m.urgent = m.urgent || !delta && !ofAgent
	ring := n == 1 || m.urgent != wasUrgent
	m.mu.Unlock()
	if ring {
		select {
		case m.arrived <- struct{}{}:
		default:
		}
	}
}

// splitDelta returns a delta without its text, and the text. Other events are returned unchanged.
func splitDelta(event chat.Event) (bare chat.Event, text string, delta bool) {
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

func (l letter) wholeEvent() chat.Event {
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

func (m *Mailbox) take() (events []chat.Event) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, letter := range m.waiting {
		events = append(events, letter.wholeEvent())
	}
	m.waiting, m.urgent = nil, false
	return events
}

func (m *Mailbox) isUrgent() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.urgent
}

// Deliver sends the events as they arrive, until stop is closed.
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
