package tui

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	tea "github.com/charmbracelet/bubbletea"

	"agent/internal/command"
	"agent/internal/tui/picker"
	"agent/internal/tui/style"
	"agent/internal/tui/term"
)

// Pick shows a list on the terminal before there is a session, and returns what was
// chosen; ok is false when nothing was. Of the options it needs In, Out, Environ and
// Theme. Where only lines can be shown it is ErrNoTerminal.
func Pick(ctx context.Context, opts Options, pick command.Pick) (chosen command.Choice, ok bool, err error) {
	if !term.IsTerminal(opts.In) || !term.IsTerminal(opts.Out) || opts.Plain || opts.env("TERM") == "dumb" {
		return chosen, false, ErrNoTerminal
	}
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGWINCH, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	defer signal.Stop(signals)
	screen := term.NewScreen(opts.Out, func() (int, int) { return term.SizeOf(opts.Out) })
	t := &term.Terminal{In: opts.In, Out: opts.Out, Screen: screen, Simple: opts.simpleTerminal()}
	defer t.Leave()
	defer screen.Close()
	if err := t.Enter(); err != nil {
		return chosen, false, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	messages := make(chan tea.Msg)
	send := func(message tea.Msg) {
		select {
		case messages <- message:
		case <-ctx.Done():
		}
	}
	keys := &term.Keyboard{File: opts.In, Send: func(events []term.Event) { send(inputMsg(events)) }, Gone: func() { send(goneMsg{}) }}
	if err := keys.Start(); err != nil {
		return chosen, false, err
	}
	defer keys.Stop()

	p := &picking{Picker: picker.Open(pick)}
	dark, known := term.DeclaredBackground(opts.env("COLORFGBG"))
	theme := style.NewTheme(style.DetectColours(opts.env), opts.palette(dark || !known))
	for {
		for _, work := range p.work() {
			go func() { send(work()) }()
		}
		screen.Post(pickFrame(p.Picker, theme, t))
		select {
		case <-ctx.Done():
			return chosen, false, ctx.Err()
		case s := <-signals:
			if s != syscall.SIGWINCH {
				return chosen, false, ErrTerminated
			}
		case message := <-messages:
			if ended, took := p.take(message); ended {
				if took {
					chosen, ok = p.Selected()
				}
				return chosen, ok, nil
			}
		}
	}
}

// take gives what came to the list, and reports whether that was the end of it, and
// whether something was chosen.
func (p *picking) take(message tea.Msg) (ended, chosen bool) {
	switch message := message.(type) {
	case goneMsg:
		return true, false
	case pickerMsg:
		message.done()
	case inputMsg:
		for _, event := range message {
			switch e := event.(type) {
			case term.Paste:
				p.Paste(string(e))
			case term.Key:
				if result := p.Key(e); result != picker.Stays {
					return true, result == picker.Chosen
				}
			}
		}
	}
	return false, false
}

// pickFrame is a list alone on the screen.
func pickFrame(p *picker.Picker, theme *style.Theme, t *term.Terminal) term.Frame {
	width, height := t.Size()
	rows, col := p.View(theme, max(8, width-1), max(2, min(2*pickerRows, height-1)))
	return term.Frame{Live: rows, Col: min(col, width-1), Width: width, Height: height}
}
