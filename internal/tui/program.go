package tui

import (
	"errors"
	"math"
	"sync/atomic"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"agent/internal/tui/term"
)

// These messages are for the program itself. Bubble Tea has more.
type (
	// lendMsg requests the terminal while run runs. done, unless it is nil, receives the result of run.
	lendMsg struct {
		run  func() error
		done func(error) tea.Msg
	}
	// wakeMsg arrives at the time that the model requested.
	wakeMsg struct{}
	// goneMsg reports that the terminal was closed.
	goneMsg struct{}
)

// keysFirst is the delay of a wakeMsg while keys wait that were pressed before it.
const keysFirst = 2 * time.Millisecond

var errGone = errors.New("the terminal was closed")

// program runs the model in Bubble Tea, which provides the loop, the messages and the commands. Keys come
// from our reader. After every Update our screen draws the model's frame. The input and the renderer of
// Bubble Tea are off.
type program struct {
	unseen
	model    *Model
	terminal *term.Terminal
	keys     *term.Keyboard
	// wakeAt is the time of the latest wakeMsg that was requested.
	wakeAt time.Time
	err    error
	// lent is the time, in Unix nanoseconds, until which Ctrl+C is for another program in the terminal.
	lent atomic.Int64
}

// lateSignal is the time after which a signal for another program no longer arrives.
const lateSignal = time.Second

// isLent reports whether Ctrl+C is for another program that uses the terminal.
func (p *program) isLent() bool { return time.Now().UnixNano() < p.lent.Load() }

// Init implements tea.Model.
func (p *program) Init() tea.Cmd { return p.model.begin() }

// Update implements tea.Model.
func (p *program) Update(message tea.Msg) (tea.Model, tea.Cmd) {
	switch message := message.(type) {
	case goneMsg:
		p.err = errGone
		return p, tea.Quit
	case lendMsg:
		return p, p.lendTerminal(message)
	case wakeMsg:
		// A letter answers if no key follows it. On a busy machine a wakeMsg may arrive before a key that
		// was pressed earlier.
		if p.keys.HasMore() {
			return p, wakeIn(keysFirst)
		}
	}
	next := p.model.update(message)
	p.terminal.Undo = p.model.presence.undo()
	if !p.model.resize.settling() {
		p.terminal.Screen.Post(p.model.frame())
	}
	return p, tea.Batch(next, p.sleep())
}

// sleep returns a command that sends a wakeMsg at the time that the model requested. If nothing moves,
// there are no ticks.
func (p *program) sleep() tea.Cmd {
	now, at := p.model.surface.now(), p.model.wake()
	if at.IsZero() || p.wakeAt.After(now) && !at.Before(p.wakeAt) {
		return nil
	}
	p.wakeAt = at
	return wakeIn(max(time.Millisecond, at.Sub(now)))
}

func wakeIn(d time.Duration) tea.Cmd {
	return tea.Tick(d, func(time.Time) tea.Msg { return wakeMsg{} })
}

// lendTerminal releases the terminal for another program and waits for its end. In the meantime keys are
// for the other program, and nothing is painted.
func (p *program) lendTerminal(request lendMsg) tea.Cmd {
	p.keys.Stop()
	p.lent.Store(math.MaxInt64)
	err := p.terminal.RunProgram(request.run)
	p.lent.Store(time.Now().Add(lateSignal).UnixNano())
	p.model.presence.forget()
	if again := p.keys.Start(); again != nil {
		p.err = again
		return tea.Quit
	}
	size := func() tea.Msg { return sizeOf(p.terminal, p.model.surface.now()) }
	if request.done == nil {
		return size
	}
	return tea.Batch(size, func() tea.Msg { return request.done(err) })
}
