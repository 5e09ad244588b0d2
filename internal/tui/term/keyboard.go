package term

import (
	"io"
	"os"
	"sync"
	"time"
)

// escapeDelay is the time in which the rest of a sequence must arrive. After that, an Esc counts as the Esc
// key.
const escapeDelay = 25 * time.Millisecond

// readSize limits the bytes of one read from the terminal.
const readSize = 16 << 10

// Keyboard reads the terminal and sends the decoded events. It can be stopped and started again, so that
// another program can use the terminal in between. Reading never waits for the loop, so the loop can stop
// it. Events that were read and not yet sent are kept.
type Keyboard struct {
	File *os.File
	// Send is called with the typed events. Gone is called when the terminal was closed. Both may block.
	Send func([]Event)
	Gone func()

	decoder Decoder
	// Closing stop ends reading. stopped is closed after reading has ended. Closing done ends sending.
	stop          io.Closer
	stopped, done chan struct{}
	arrived       chan struct{}

	mu   sync.Mutex
	read []Event
	gone bool
	// reading is set while bytes from the terminal are being decoded into read. sending is set while events
	// from read are being sent to the loop.
	reading, sending bool
}

// Start starts reading.
func (k *Keyboard) Start() error {
	asleep, stop, err := newAlarm()
	if err != nil {
		return err
	}
	k.stop, k.stopped, k.done = stop, make(chan struct{}), make(chan struct{})
	k.arrived = make(chan struct{}, 1)
	k.arrived <- struct{}{} // for events read and not sent before the last stop
	go k.deliver(k.arrived, k.done)
	go func() {
		defer close(k.stopped)
		defer asleep.Close()
		k.serve(asleep)
	}()
	return nil
}

// Stop ends reading. Keys typed after that stay in the terminal's buffer.
func (k *Keyboard) Stop() {
	if k.stop != nil {
		k.stop.Close()
		<-k.stopped
		close(k.done)
		k.stop = nil
	}
}

// HasMore reports whether keys were typed that the loop has not received. Only the loop may call it,
// because only the loop starts and stops reading.
func (k *Keyboard) HasMore() bool {
	if inputWaits(k.File) {
		return true
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.reading || k.sending || len(k.read) > 0
}

// put stores the events of one read.
func (k *Keyboard) put(events []Event, gone bool) {
	k.mu.Lock()
	k.read = append(k.read, events...)
	k.gone, k.reading = gone, false
	k.mu.Unlock()
	select {
	case k.arrived <- struct{}{}:
	default:
	}
}

// deliver sends the stored events until done is closed.
func (k *Keyboard) deliver(arrived, done <-chan struct{}) {
	for {
		select {
		case <-done:
			return
		case <-arrived:
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
