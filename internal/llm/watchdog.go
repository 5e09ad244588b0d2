package llm

import (
	"context"
	"fmt"
	"time"
)

// stallError is the cause of a request that was given up because its server was
// silent.
type stallError struct{ after time.Duration }

func (e *stallError) Error() string { return fmt.Sprintf("sent nothing for %s", e.after) }

// watchdog ends a request whose server has gone silent. Two clocks run: events
// measures the time since the last event and is patient; bytes measures the time
// since the last sign of life, keep-alives included, once the reply has begun.
type watchdog struct {
	events, bytes *time.Timer
	first, idle   time.Duration
	begun         bool
}

func newWatchdog(cancel context.CancelCauseFunc, first, idle time.Duration) *watchdog {
	w := &watchdog{first: first, idle: idle}
	w.events = time.AfterFunc(first, func() { cancel(&stallError{first}) })
	w.bytes = time.AfterFunc(idle, func() { cancel(&stallError{idle}) })
	w.bytes.Stop()
	return w
}

// sawBytes notes that something came, if only a keep-alive.
func (w *watchdog) sawBytes() {
	if w.begun {
		w.bytes.Reset(w.idle)
	}
}

// sawEvent notes that a part of the reply came.
func (w *watchdog) sawEvent() {
	w.begun = true
	w.events.Reset(w.first)
	w.bytes.Reset(w.idle)
}

// expect leaves only d for what may still come.
func (w *watchdog) expect(d time.Duration) {
	w.first, w.idle = min(w.first, d), min(w.idle, d)
	w.events.Reset(w.first)
	w.bytes.Stop()
	w.begun = false
}

func (w *watchdog) stop() {
	w.events.Stop()
	w.bytes.Stop()
}
