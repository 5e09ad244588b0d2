package shell

import (
	"io"
	"sync"
	"time"
)

const (
	// livePause is the shortest time between two writes to the screen.
	livePause = 33 * time.Millisecond
	// liveBytes is the most that is shown at once.
	liveBytes = 16 << 10
)

// live passes output on to a screen without ever waiting for it: while the screen
// is busy the latest output replaces the older, so that neither a slow screen
// holds a command up nor a fast command the screen.
type live struct {
	to      io.Writer
	mu      sync.Mutex
	waiting []byte
	more    chan struct{}
	closing chan struct{}
	done    chan struct{}
}

// newLive starts to pass output on to a writer until close.
func newLive(to io.Writer) *live {
	l := &live{to: to, more: make(chan struct{}, 1), closing: make(chan struct{}), done: make(chan struct{})}
	go l.run()
	return l
}

func (l *live) Write(data []byte) (int, error) {
	l.mu.Lock()
	l.waiting = append(l.waiting, data...)
	if surplus := len(l.waiting) - liveBytes; surplus > 0 {
		kept := wholeLinesAfter(string(l.waiting[surplus:]))
		l.waiting = append(l.waiting[:0], kept...)
	}
	l.mu.Unlock()
	select {
	case l.more <- struct{}{}:
	default:
	}
	return len(data), nil
}

func (l *live) run() {
	defer close(l.done)
	for {
		select {
		case <-l.more:
		case <-l.closing:
			l.show()
			return
		}
		l.show()
		select {
		case <-time.After(livePause):
		case <-l.closing:
		}
	}
}

func (l *live) show() {
	l.mu.Lock()
	text := string(l.waiting)
	l.waiting = l.waiting[:0]
	l.mu.Unlock()
	if text != "" {
		// A screen that fails has its own ways to say so.
		_, _ = io.WriteString(l.to, text)
	}
}

// close passes on what is still waiting and returns when the screen has it.
func (l *live) close() {
	close(l.closing)
	<-l.done
}
