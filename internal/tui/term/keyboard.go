package term

import (
	"os"
	"sync"
)

// Keyboard reads the terminal and sends what it decodes. The reader never waits for
// the loop, so that it can be stopped from within it: what was read and not sent is
// kept.
type Keyboard struct {
	File *os.File
	// Send is called with what was typed, Gone when the terminal has gone away. Both may
	// wait.
	Send func([]Event)
	Gone func()

	decoder Decoder
	reader  *Reader
	mu      sync.Mutex
	read    []Event
	gone    bool
	// sending is set while what was read is on its way to the loop.
	sending bool
	wake    chan struct{}
	done    chan struct{}
}

// Start begins to read.
func (k *Keyboard) Start() (err error) {
	k.wake, k.done = make(chan struct{}, 1), make(chan struct{})
	k.wake <- struct{}{} // for what was read and not sent before the last stop
	go k.deliver(k.wake, k.done)
	k.reader, err = Read(k.File, &k.decoder, k.put)
	return err
}

// Stop ends reading; what is typed then stays with the terminal.
func (k *Keyboard) Stop() {
	if k.reader != nil {
		k.reader.Stop()
		k.reader = nil
		close(k.done)
	}
}

// HasMore reports whether something was typed that the loop has not seen. It is for the
// loop, which alone starts and stops reading.
func (k *Keyboard) HasMore() bool {
	if k.reader != nil && k.reader.Pending() {
		return true
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.sending || len(k.read) > 0
}

// put keeps what one read brought; nothing means that the terminal is gone.
func (k *Keyboard) put(events []Event) {
	k.mu.Lock()
	k.read = append(k.read, events...)
	k.gone = k.gone || events == nil
	k.mu.Unlock()
	select {
	case k.wake <- struct{}{}:
	default:
	}
}

// deliver sends what was read until done is closed.
func (k *Keyboard) deliver(wake, done <-chan struct{}) {
	for {
		select {
		case <-done:
			return
		case <-wake:
		}
		k.mu.Lock()
		events, gone := k.read, k.gone
		k.read, k.sending = nil, len(events) > 0
		k.mu.Unlock()
		if len(events) > 0 {
			k.Send(events)
			k.mu.Lock()
			k.sending = false
			k.mu.Unlock()
		}
		if gone {
			k.Gone()
			return
		}
	}
}
