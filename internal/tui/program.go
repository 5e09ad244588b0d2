package tui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"agent/internal/chat"
	"agent/internal/tui/mailbox"
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

// lend is the command that gives the terminal away while run runs.
func lend(run func() error, done func(error) tea.Msg) tea.Cmd {
	return func() tea.Msg { return lendMsg{run, done} }
}

// program is the model as Bubble Tea runs it: Bubble Tea owns the loop, the messages
// and the commands. Keys come from our reader, and after every Update the model's
// frame is drawn by our screen; input and renderer of Bubble Tea are off.
type program struct {
	*Model
	terminal *term.Terminal
	tea      *tea.Program
	keys     keys
	// wakeAt is when the latest wakeMsg comes.
	wakeAt time.Time
	err    error
}

// keys is where what is typed comes from.
type keys interface {
	Start() error
	Stop()
	// HasMore reports whether something was typed that the loop has not seen.
	HasMore() bool
}

// newProgram prepares a model that has been painted once to run.
func newProgram(ctx context.Context, m *Model, t *term.Terminal) *program {
	p := &program{Model: m, terminal: t}
	p.tea = tea.NewProgram(p, tea.WithContext(ctx), tea.WithInput(nil), tea.WithOutput(io.Discard),
		tea.WithoutRenderer(), tea.WithoutSignalHandler(), tea.WithoutCatchPanics())
	p.keys = &term.Keyboard{File: t.In, Send: func(events []term.Event) { p.tea.Send(inputMsg(events)) }, Gone: func() { p.tea.Send(goneMsg{}) }}
	return p
}

// run serves messages until the model quits, stop is closed or the context ends.
func (p *program) run(ctx context.Context, stop <-chan struct{}) error {
	if err := p.keys.Start(); err != nil {
		return err
	}
	defer p.keys.Stop()
	ended := make(chan struct{})
	defer close(ended)
	go func() {
		select {
		case <-stop:
			p.tea.Quit()
		case <-ended:
		}
	}()
	// Killing is for a crash: after an ordinary end it does nothing.
	defer p.tea.Kill()
	_, err := p.tea.Run()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return errors.Join(p.err, err)
}

// Init implements tea.Model.
func (p *program) Init() tea.Cmd { return p.begin() }

// View implements tea.Model; nobody shows it.
func (p *program) View() string { return "" }

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
			return p, tea.Tick(keysFirst, func(time.Time) tea.Msg { return wakeMsg{} })
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
	return tea.Tick(max(time.Millisecond, at.Sub(now)), func(time.Time) tea.Msg { return wakeMsg{} })
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

// listen passes the turn loop's events on until stop is closed.
func (p *program) listen(register func(func(chat.Event)), stop <-chan struct{}) {
	mail := mailbox.New()
	register(mail.Put)
	go mail.Deliver(stop, func(events []chat.Event) { p.tea.Send(eventsMsg(events)) })
}

// crashMsg carries a panic from a command's goroutine to the event loop, where Run
// can give the terminal back before it reports it.
type crashMsg struct {
	value any
	stack []byte
}

// guarded makes a command's panic a crashMsg. No command stays none.
func guarded(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() (msg tea.Msg) {
		defer func() {
			if value := recover(); value != nil {
				msg = crashMsg{value, debug.Stack()}
			}
		}()
		return cmd()
	}
}

// crashed logs a panic and returns the error the user sees.
func crashed(value any, log *slog.Logger, logPath string) error {
	stack := debug.Stack()
	if c, ok := value.(crashMsg); ok {
		value, stack = c.value, c.stack
	}
	if log != nil {
		log.Error("the interface crashed", "panic", fmt.Sprint(value), "stack", string(stack))
	}
	err := fmt.Errorf("the interface crashed: %v; the session is saved", value)
	if logPath != "" {
		err = fmt.Errorf("%w; what happened is in %s", err, logPath)
	}
	return err
}
