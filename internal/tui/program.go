package tui

import (
	"errors"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"agent/internal/tui/term"
)

// The messages that the program itself understands, besides Bubble Tea's.
type (
	// lendMsg asks for the terminal; done, when there is one, gets what run returned.
	lendMsg struct {
		run  func() error
		done func(error) tea.Msg
	}
	// wakeMsg comes when the time that the model asked for is there.
	wakeMsg struct{}
	// goneMsg says that the terminal is gone.
	goneMsg struct{}
)

// keysFirst is how long time waits for keys that were pressed before.
const keysFirst = 2 * time.Millisecond

// errGone is the end of a terminal that went away.
var errGone = errors.New("the terminal is gone")

// program is the model as Bubble Tea runs it: Bubble Tea owns the loop, the messages
// and the commands. Keys come from our reader, and after every Update the model's
// frame is drawn by our screen; input and renderer of Bubble Tea are off.
type program struct {
	unseen
	*Model
	terminal *term.Terminal
	keys     *term.Keyboard
	// wakeAt is when the latest wakeMsg comes.
	wakeAt time.Time
	err    error
}

// Init implements tea.Model.
func (p *program) Init() tea.Cmd { return p.begin() }

// Update implements tea.Model.
func (p *program) Update(message tea.Msg) (tea.Model, tea.Cmd) {
	switch message := message.(type) {
	case goneMsg:
		p.err = errGone
		return p, tea.Quit
	case lendMsg:
		return p, p.lend(message)
	case wakeMsg:
		// A letter answers when no key followed it. On a busy machine time may come
		// before a key that was pressed earlier.
		if p.keys.HasMore() {
			return p, wakeIn(keysFirst)
		}
	}
	next := p.update(message)
	if !p.resize.settling() {
		p.terminal.Screen.Post(p.frame())
	}
	return p, tea.Batch(next, p.sleep())
}

// sleep is the command that wakes the model when it wants to be woken. Nothing
// ticks when nothing moves.
func (p *program) sleep() tea.Cmd {
	now, at := p.opts.Now(), p.wake()
	if at.IsZero() || p.wakeAt.After(now) && !at.Before(p.wakeAt) {
		return nil
	}
	p.wakeAt = at
	return wakeIn(max(time.Millisecond, at.Sub(now)))
}

func wakeIn(d time.Duration) tea.Cmd {
	return tea.Tick(d, func(time.Time) tea.Msg { return wakeMsg{} })
}

// lend gives the terminal away, and waits: what is typed meanwhile is for the other
// program, and nothing is to be painted.
func (p *program) lend(request lendMsg) tea.Cmd {
	p.keys.Stop()
	err := p.terminal.Lend(request.run)
	if again := p.keys.Start(); again != nil {
		p.err = again
		return tea.Quit
	}
	size := func() tea.Msg { return sizeOf(p.terminal, p.opts.Now()) }
	if request.done == nil {
		return size
	}
	return tea.Batch(size, func() tea.Msg { return request.done(err) })
}
