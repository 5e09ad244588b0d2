package tui

import (
	"agent/internal/tui/term"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"agent/internal/chat"

	tea "github.com/charmbracelet/bubbletea"

	_ "agent/internal/tui/term/termquiet"
)

// before Bubble Tea's init

// ErrNoTerminal is returned when input or output is not a terminal.
var ErrNoTerminal = errors.New("the interactive mode needs a terminal; use -p to run a prompt without one")

// ErrTerminated is returned when a signal ended the interface.
var ErrTerminated = errors.New("ended by a signal")

// Run shows the interface until the user quits, ctx ends or a signal asks the
// process to end; the error is then nil, ctx's or ErrTerminated. The terminal is
// left as it was found in every case. A turn in progress is not interrupted: that
// is for whoever owns the driver.
func Run(ctx context.Context, opts Options) (err error) {
	if !term.IsTerminal(opts.In) || !term.IsTerminal(opts.Out) {
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

	screen := term.NewScreen(opts.Out)
	t := &term.Terminal{In: opts.In, Out: opts.Out, Screen: screen, Simple: opts.simpleTerminal()}
	defer func() {
		value := recover()
		screen.Close()
		t.Leave()
		if value != nil {
			err = crashed(value, opts.LogPath)
		}
	}()
	if err := t.Enter(); err != nil {
		return fmt.Errorf("the terminal cannot be switched to raw mode: %w", err)
	}

	width, height := t.Size()
	m := newModel(ctx, opts, term.ColourProfile(opts.Environ, true), width, height)
	screen.Post(m.frame())
	return serve(ctx, m, t, signals)
}

// serve runs the event loop around a model that has been painted once.
func serve(ctx context.Context, m *Model, t *term.Terminal, signals <-chan os.Signal) error {
	keys := &term.Decoder{Pastes: m.pastes}
	program := tea.NewProgram(painted{m, t.Screen},
		tea.WithInput(term.Input{File: m.opts.In, Decoder: keys}), tea.WithOutput(m.opts.Out),
		tea.WithoutRenderer(), tea.WithoutSignalHandler(), tea.WithoutCatchPanics())
	keys.Background = func(answer string) {
		if dark, known := term.IsDark(answer); known {
			go program.Send(backgroundMsg{dark})
		}
	}
	m.foreground = func(run func() error, done func(error) tea.Msg) tea.Cmd {
		return tea.Exec(term.Handover{Terminal: t, With: run}, func(err error) tea.Msg {
			go program.Send(sizeMsg(t))
			if done == nil {
				return nil
			}
			return done(err)
		})
	}
	if !m.ground.known && !t.Simple {
		t.Write(term.BackgroundQuery)
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
		if watch(ctx, stop, signals, func() { program.Send(sizeMsg(t)) }) {
			close(terminated)
		}
		program.Quit()
	}()

	_, err := program.Run()
	m.endReply("")
	t.Screen.Post(m.frame())
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

func sizeMsg(t *term.Terminal) tea.Msg {
	width, height := t.Size()
	return tea.WindowSizeMsg{Width: width, Height: height}
}

// painted is the model as Bubble Tea sees it: after every Update its frame is
// handed to the screen. Bubble Tea's own renderer is off.
type painted struct {
	*Model
	screen *term.Screen
}

// Update implements tea.Model.
func (p painted) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	_, cmd := p.Model.Update(msg)
	p.screen.Post(p.Model.frame())
	return p, cmd
}

// View implements tea.Model; nobody shows it.
func (p painted) View() string { return "" }
