package tui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"agent/internal/tui/term"
	_ "agent/internal/tui/term/termquiet" // before Bubble Tea is initialised
)

// ErrNoTerminal is returned when input or output is not a terminal.
var ErrNoTerminal = errors.New("the interactive mode needs a terminal; use -p to run a prompt without one")

// ErrTerminated is returned when a signal ended the interface.
var ErrTerminated = errors.New("ended by a signal")

// Run shows the interface until the user quits, ctx ends or a signal asks the
// process to end; the error is then nil, ctx's or ErrTerminated. The terminal is
// left as it was found in every case. A turn in progress is not interrupted: that
// is for the caller that owns the driver.
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
	signal.Notify(signals, syscall.SIGWINCH, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	defer signal.Stop(signals)

	if opts.Plain || opts.env("TERM") == "dumb" {
		return runPlain(ctx, opts, signals)
	}
	screen := term.NewScreen(opts.Out, func() (int, int) { return term.SizeOf(opts.Out) })
	t := &term.Terminal{In: opts.In, Out: opts.Out, Screen: screen, Simple: opts.simpleTerminal()}
	defer func() {
		value := recover()
		screen.Close()
		t.Leave()
		if value != nil {
			err = crashed(value, opts.Log, opts.LogPath)
		}
	}()
	if err := t.Enter(); err != nil {
		return fmt.Errorf("the terminal cannot be switched to raw mode: %w", err)
	}

	width, height := t.Size()
	m := newModel(ctx, opts, width, height)
	screen.Post(m.frame())
	return serve(ctx, m, t, signals)
}

// serve runs the event loop around a model that has been painted once.
func serve(ctx context.Context, m *Model, t *term.Terminal, signals <-chan os.Signal) error {
	if !m.ground.known && !t.Simple {
		t.Write(term.BackgroundQuery)
	}
	p := newProgram(ctx, m, t)
	stop := make(chan struct{})
	defer close(stop)
	p.listen(m.opts.Events, stop)
	terminated := make(chan struct{})
	go watch(stop, signals, terminated, func() { p.tea.Send(sizeOf(t, m.opts.Now())) })

	err := p.run(ctx, terminated)
	m.activity.endReply("")
	t.Screen.Post(m.frame())
	select {
	case <-terminated:
		return ErrTerminated
	default:
		return err
	}
}

// watch closes terminated when a signal asks the process to end.
func watch(stop <-chan struct{}, signals <-chan os.Signal, terminated chan<- struct{}, resized func()) {
	for {
		select {
		case <-stop:
			return
		case s := <-signals:
			if s != syscall.SIGWINCH {
				close(terminated)
				return
			}
			resized()
		}
	}
}

func sizeOf(t *term.Terminal, now time.Time) resizedMsg {
	width, height := t.Size()
	return resizedMsg{width, height, t.Screen.Tallest(now)}
}
