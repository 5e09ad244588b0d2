package tui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"agent/internal/chat"
	"agent/internal/tui/mailbox"
	"agent/internal/tui/term"
	_ "agent/internal/tui/term/termquiet" // before Bubble Tea is initialized
)

// ErrNoTerminal is returned when input or output is not a terminal.
var ErrNoTerminal = errors.New("interactive mode needs a terminal. Without one, run: agent -p PROMPT")

// ErrTerminated is returned when a signal ended the interface.
var ErrTerminated = errors.New("stopped by a signal")

// Run shows the interface until the user quits, ctx ends or a signal requests the process to end. The error
// is then nil, the error of ctx, or ErrTerminated. Run always restores the terminal. It does not interrupt
// a turn in progress; that is up to the caller.
func Run(ctx context.Context, opts Options) (err error) {
	if !term.IsTerminal(opts.In) || !term.IsTerminal(opts.Out) {
		return ErrNoTerminal
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer func() {
		if value := recover(); value != nil {
			err = logPanic(value, opts)
		}
		if opts.History != nil {
			_ = opts.History.Write() // the loop may have ended before the command that writes it
		}
	}()
	// From here on, a signal cannot end the process before the terminal mode is restored.
	signals, deaf := term.NotifySignals(opts.Out)
	defer deaf()
	if opts.Plain || environment(opts.Environ).get("TERM") == "dumb" || !term.SupportsSequences(opts.Out) {
		return runPlain(ctx, opts, signals)
	}
	t, err := takeTerminal(opts)
	if err != nil {
		return fmt.Errorf("can't switch the terminal to raw mode: %w", err)
	}
	defer giveBack(t)
	width, height := t.Size()
	p := &program{model: newModel(ctx, opts, width, height), terminal: t}
	t.Screen.Post(p.model.frame())
	if !p.model.surface.ground.known && !t.Simple {
		t.Write(term.BackgroundQuery)
	}
	if !t.Simple {
		t.Write(term.StatusQuery)
	}
	loop := newLoop(ctx, p)
	p.keys = keyboard(t, loop)
	stop := make(chan struct{})
	defer close(stop)
	listen(opts.Events, loop, stop)
	err = serve(ctx, loop, p.keys, signals, func(s os.Signal) bool {
		if term.IsResize(s) {
			loop.Send(sizeOf(t, opts.Now()))
		}
		return term.IsResize(s) || s == os.Interrupt && p.isLent()
	})
	p.model.activity.endReply("")
	t.Screen.Post(p.model.frame())
	return errors.Join(p.err, err)
}

// takeTerminal switches the terminal to raw mode and creates a screen on it. giveBack restores the
// terminal.
func takeTerminal(opts Options) (*term.Terminal, error) {
	screen := term.NewScreen(opts.Out, func() (int, int) { return term.SizeOf(opts.Out) })
	t := &term.Terminal{In: opts.In, Out: opts.Out, Screen: screen, Simple: environment(opts.Environ).simpleTerminal()}
	err := t.Enter()
	if err != nil {
		screen.Close()
	}
	return t, err
}

func giveBack(t *term.Terminal) {
	t.Screen.Close()
	t.Restore()
}

// newLoop returns Bubble Tea's loop for an interface that reads and paints by itself.
func newLoop(ctx context.Context, front tea.Model) *tea.Program {
	return tea.NewProgram(front, tea.WithContext(ctx), tea.WithInput(nil), tea.WithOutput(io.Discard),
		tea.WithoutRenderer(), tea.WithoutSignalHandler(), tea.WithoutCatchPanics())
}

// unseen is an empty view, for an interface that paints by itself.
type unseen struct{}

// View implements tea.Model.
func (unseen) View() string { return "" }

// keyboard returns a keyboard that sends typed keys to a loop.
func keyboard(t *term.Terminal, loop *tea.Program) *term.Keyboard {
	return &term.Keyboard{File: t.In, Send: func(events []term.Event) { loop.Send(inputMsg(events)) }, Gone: func() { loop.Send(goneMsg{}) }}
}

// listen forwards events of the turn loop until stop is closed.
func listen(register func(func(chat.Event)), loop *tea.Program, stop <-chan struct{}) {
	mail := mailbox.New()
	register(mail.Put)
	go mail.Deliver(stop, func(events []chat.Event) { loop.Send(eventsMsg(events)) })
}

// serve runs a loop until its interface quits, a signal ends it or ctx ends. keys are read in the meantime,
// unless they are nil. heard handles a signal, and returns false for a signal that requests the process to
// end.
func serve(ctx context.Context, loop *tea.Program, keys *term.Keyboard, signals <-chan os.Signal, heard func(os.Signal) bool) error {
	if keys != nil {
		if err := keys.Start(); err != nil {
			return err
		}
		defer keys.Stop()
	}
	ended, terminated := make(chan struct{}), make(chan struct{})
	defer close(ended)
	go func() {
		for {
			select {
			case <-ended:
				return
			case s := <-signals:
				if !heard(s) {
					close(terminated)
					loop.Quit()
					return
				}
			}
		}
	}()
	defer loop.Kill() // after a crash; it has no effect after an ordinary end
	_, err := loop.Run()
	select {
	case <-terminated:
		return ErrTerminated
	default:
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

func sizeOf(t *term.Terminal, now time.Time) resizedMsg {
	width, height := t.Size()
	return resizedMsg{width, height, t.Screen.MaxHeight(now)}
}

// crashMsg passes a panic from a command's goroutine to the event loop. Run can then restore the terminal
// before it reports the panic.
type crashMsg struct {
	value any
	stack []byte
}

// guardPanic turns a panic in a command into a crashMsg. A nil command stays nil.
func guardPanic(cmd tea.Cmd) tea.Cmd {
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

func logPanic(value any, opts Options) error {
	stack := debug.Stack()
	if c, ok := value.(crashMsg); ok {
		value, stack = c.value, c.stack
	}
	if opts.Log != nil {
		opts.Log.Error("the interface crashed", "panic", fmt.Sprint(value), "stack", string(stack))
	}
	err := fmt.Errorf("the interface crashed: %v; the session is saved", value)
	if opts.LogPath != "" {
		err = fmt.Errorf("%w; details are in %s", err, opts.LogPath)
	}
	return err
}
