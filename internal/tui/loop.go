package tui

import (
	"context"
	"errors"
	"time"

	"agent/internal/chat"
	"agent/internal/tui/term"
)

// msg is something the model is told: a key, events of the turn loop, a result.
type msg any

// cmd is work outside the event loop; what it returns is the model's next message.
type cmd func() msg

// The messages that the loop itself understands.
type (
	// batchMsg are commands to run beside each other.
	batchMsg []cmd
	// quitMsg ends the interface.
	quitMsg struct{}
	// lendMsg asks for the terminal; done, when there is one, gets what run returned.
	lendMsg struct {
		run  func() error
		done func(error) msg
	}
	// sizeMsg is the window's size in cells.
	sizeMsg struct{ width, height int }
	// wakeMsg comes when the time that the model asked for is there.
	wakeMsg struct{}
)

func quit() msg { return quitMsg{} }

// batch makes one command of several.
func batch(cmds ...cmd) cmd {
	var some batchMsg
	for _, c := range cmds {
		if c != nil {
			some = append(some, c)
		}
	}
	switch len(some) {
	case 0:
		return nil
	case 1:
		return some[0]
	}
	return func() msg { return some }
}

// lend is the command that gives the terminal away while run runs.
func lend(run func() error, done func(error) msg) cmd {
	return func() msg { return lendMsg{run, done} }
}

// loop runs a model: one goroutine in which everything happens to it, one after
// another, and which posts a frame after each.
type loop struct {
	model    *Model
	terminal *term.Terminal
	decoder  *term.Decoder
	reader   *term.Reader
	// inbox is where messages come from other goroutines; ended is closed when
	// nobody takes them any more.
	inbox chan msg
	ended chan struct{}
	timer *time.Timer
}

// errGone is the end of a terminal that went away.
var errGone = errors.New("the terminal is gone")

func newLoop(m *Model, t *term.Terminal) *loop {
	l := &loop{
		model: m, terminal: t, decoder: &term.Decoder{},
		inbox: make(chan msg, 16), ended: make(chan struct{}), timer: time.NewTimer(time.Hour),
	}
	l.timer.Stop()
	return l
}

// send hands the model a message. After the end it does nothing.
func (l *loop) send(message msg) {
	select {
	case l.inbox <- message:
	case <-l.ended:
	}
}

// start runs a command beside the loop.
func (l *loop) start(c cmd) {
	if c == nil {
		return
	}
	go func() {
		if message := c(); message != nil {
			l.send(message)
		}
	}()
}

// run serves messages until one says to end, or stop is closed.
func (l *loop) run(ctx context.Context, stop <-chan struct{}) error {
	if err := l.read(); err != nil {
		return err
	}
	defer func() {
		close(l.ended) // first: the reader may be waiting to hand over keys
		l.timer.Stop()
		l.reader.Stop()
	}()
	l.start(l.model.begin())
	for {
		var message msg
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-stop:
			return nil
		case message = <-l.inbox:
		case <-l.timer.C:
			message = wakeMsg{}
		}
		if end, err := l.take(message); end {
			return err
		}
	}
}

// take handles one message and reports whether it was the last.
func (l *loop) take(message msg) (end bool, err error) {
	switch message := message.(type) {
	case quitMsg:
		return true, nil
	case goneMsg:
		return true, errGone
	case batchMsg:
		for _, c := range message {
			l.start(c)
		}
		return false, nil
	case lendMsg:
		return false, l.lend(message)
	}
	l.start(l.model.update(message))
	l.terminal.Screen.Post(l.model.frame())
	l.wakeAt(l.model.wake())
	return false, nil
}

// wakeAt sets the timer; the zero time means never.
func (l *loop) wakeAt(at time.Time) {
	if at.IsZero() {
		l.timer.Stop()
		return
	}
	l.timer.Reset(max(time.Millisecond, at.Sub(l.model.opts.Now())))
}

// goneMsg says that the terminal is gone.
type goneMsg struct{}

// read starts to read keys.
func (l *loop) read() (err error) {
	l.reader, err = term.Read(l.terminal.In, l.decoder, func(events []term.Event) {
		if events == nil {
			l.send(goneMsg{})
			return
		}
		l.send(inputMsg(events))
	})
	return err
}

// lend gives the terminal away. What is typed meanwhile is for the other program.
func (l *loop) lend(request lendMsg) error {
	stopped := make(chan struct{})
	go func() { l.reader.Stop(); close(stopped) }()
	// The reader may be waiting to hand over keys.
	for waiting := true; waiting; {
		select {
		case <-stopped:
			waiting = false
		case message := <-l.inbox:
			go l.send(message)
		}
	}
	err := l.terminal.Lend(request.run)
	width, height := l.terminal.Size()
	go l.send(sizeMsg{width, height})
	if request.done != nil {
		if message := request.done(err); message != nil {
			go l.send(message)
		}
	}
	return l.read()
}

// listen passes the turn loop's events on until stop is closed.
func (l *loop) listen(register func(func(chat.Event)), stop <-chan struct{}) {
	mail := newMailbox()
	register(mail.put)
	go mail.deliver(stop, func(events []chat.Event) { l.send(eventsMsg(events)) })
}
