package tui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/term"

	"agent/internal/chat"
	_ "agent/internal/tui/termquiet" // before Bubble Tea's init
)

// ErrNoTerminal is returned when input or output is not a terminal.
var ErrNoTerminal = errors.New("the interactive mode needs a terminal; use -p to run a prompt without one")

// ErrTerminated is returned when a signal ended the interface.
var ErrTerminated = errors.New("ended by a signal")

// Run shows the interface until the user quits, ctx ends or a signal asks the
// process to end; the error is then nil, ctx's or ErrTerminated. The terminal is
// left as it was found in every case. A turn in progress is not interrupted: that
// is for whoever owns the driver.
func Run(ctx context.Context, opts Options) (err error) {
	if !term.IsTerminal(opts.In.Fd()) || !term.IsTerminal(opts.Out.Fd()) {
		return ErrNoTerminal
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()

	// From here on a signal must find the terminal's mode in order.
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGWINCH, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(signals)

	screen := newScreen(opts.Out)
	t := &terminal{in: opts.In, out: opts.Out, screen: screen, simple: opts.simpleTerminal()}
	defer func() {
		value := recover()
		screen.close()
		t.leave()
		if value != nil {
			err = crashed(value, opts.LogPath)
		}
	}()
	if err := t.enter(); err != nil {
		return fmt.Errorf("the terminal cannot be switched to raw mode: %w", err)
	}

	width, height := t.size()
	m := newModel(ctx, opts, colourProfile(opts.Environ, true), width, height)
	screen.post(m.frame())
	return serve(ctx, m, t, signals)
}

// serve runs the event loop around a model that has been painted once.
func serve(ctx context.Context, m *Model, t *terminal, signals <-chan os.Signal) error {
	keys := &decoder{pastes: m.pastes}
	program := tea.NewProgram(painted{m, t.screen},
		tea.WithInput(input{m.opts.In, keys}), tea.WithOutput(m.opts.Out),
		tea.WithoutRenderer(), tea.WithoutSignalHandler(), tea.WithoutCatchPanics())
	keys.background = func(answer string) {
		if dark, known := isDark(answer); known {
			go program.Send(backgroundMsg{dark})
		}
	}
	m.foreground = func(run func() error, done func(error) tea.Msg) tea.Cmd {
		return tea.Exec(outside{t, run}, func(err error) tea.Msg {
			go program.Send(t.sizeMsg())
			if done == nil {
				return nil
			}
			return done(err)
		})
	}
	if !m.ground.known && !t.simple {
		t.write(backgroundQuery)
	}

	// Killing is for a crash: after an ordinary end it does nothing.
	defer program.Kill()
	stop := make(chan struct{})
	defer close(stop)
	mail := newMailbox()
	m.opts.Events(mail.put)
	go mail.deliver(stop, func(events []chat.Event) { program.Send(eventsMsg(events)) })
	terminated := make(chan struct{})
	go func() {
		if watch(ctx, stop, signals, func() { program.Send(t.sizeMsg()) }) {
			close(terminated)
		}
		program.Quit()
	}()

	_, err := program.Run()
	m.endReply("")
	t.screen.post(m.frame())
	select {
	case <-terminated:
		return ErrTerminated
	default:
		return errors.Join(err, ctx.Err())
	}
}

// watch returns when the interface shall end, and whether a signal wants it.
func watch(ctx context.Context, stop <-chan struct{}, signals <-chan os.Signal, resized func()) (terminated bool) {
	for {
		select {
		case <-stop:
			return false
		case <-ctx.Done():
			return false
		case s := <-signals:
			if s != syscall.SIGWINCH {
				return true
			}
			resized()
		}
	}
}

func (t *terminal) sizeMsg() tea.Msg {
	width, height := t.size()
	return tea.WindowSizeMsg{Width: width, Height: height}
}

// painted is the model as Bubble Tea sees it: after every Update its frame is
// handed to the screen. Bubble Tea's own renderer is off.
type painted struct {
	*Model
	screen *screen
}

// Update implements tea.Model.
func (p painted) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	_, cmd := p.Model.Update(msg)
	p.screen.post(p.Model.frame())
	return p, cmd
}

// View implements tea.Model; nobody shows it.
func (p painted) View() string { return "" }
