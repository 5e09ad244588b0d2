package term

import (
	"errors"
	"io"
	"os"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// escapeDelay is how long the rest of a sequence may take to arrive. A lone Esc
// counts as the key after that.
const escapeDelay = 25 * time.Millisecond

// readSize is how much is read from the terminal at once, in bytes.
const readSize = 16 << 10

// Reader reads the terminal in a goroutine of its own until it is stopped, so that
// another program can have the terminal in between.
type Reader struct {
	file    *os.File
	decoder *Decoder
	wake    *os.File
	done    chan struct{}
	// taking is set while something was read and has not been emitted.
	taking atomic.Bool
}

// Read starts a reader. emit gets what one read brought, from the reader's
// goroutine; it gets nil when the terminal is gone.
func Read(file *os.File, decoder *Decoder, emit func([]Event)) (*Reader, error) {
	asleep, wake, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	r := &Reader{file: file, decoder: decoder, wake: wake, done: make(chan struct{})}
	go func() {
		defer close(r.done)
		defer asleep.Close()
		r.serve(int(asleep.Fd()), emit)
	}()
	return r, nil
}

// Stop ends the reader. What was typed and not read yet stays with the terminal.
func (r *Reader) Stop() {
	r.wake.Close()
	<-r.done
}

// Pending reports whether something was typed that has not been emitted.
func (r *Reader) Pending() bool {
	fds := []unix.PollFd{{Fd: int32(r.file.Fd()), Events: unix.POLLIN}}
	n, _ := unix.Poll(fds, 0)
	return n > 0 || r.taking.Load()
}

func (r *Reader) serve(wake int, emit func([]Event)) {
	buf := make([]byte, readSize)
	fd := int(r.file.Fd())
	for {
		within := -1
		if r.decoder.waiting() {
			within = int(escapeDelay.Milliseconds())
		}
		ready, stopped, err := poll(fd, wake, within)
		if stopped {
			return
		}
		var events []Event
		switch {
		case err != nil:
		case !ready:
			events = r.decoder.flush(nil)
		default:
			r.taking.Store(true)
			var n int
			if n, err = unix.Read(fd, buf); err == nil && n == 0 {
				err = io.EOF
			}
			if errors.Is(err, unix.EINTR) || errors.Is(err, unix.EAGAIN) {
				r.taking.Store(false)
				continue
			}
			if n > 0 {
				events = r.decoder.Feed(nil, buf[:n])
			}
		}
		if err != nil {
			emit(nil)
			return
		}
		if len(events) > 0 {
			emit(events)
		}
		r.taking.Store(false)
	}
}

// poll waits until there is something to read, wake is closed, or the time is up,
// in milliseconds; without end when it is negative.
func poll(fd, wake, within int) (ready, stopped bool, err error) {
	fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}, {Fd: int32(wake), Events: unix.POLLIN}}
	for {
		_, err := unix.Poll(fds, within)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		return fds[0].Revents != 0, fds[1].Revents != 0, err
	}
}
