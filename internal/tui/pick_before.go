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
	signals := hear()
	defer signal.Stop(signals)
	t, err := takeTerminal(opts)
	if err != nil {
		return chosen, false, err
	}
	defer giveBack(t)
	dark, known := term.DeclaredBackground(opts.env("COLORFGBG"))
	p := &pickAlone{
		picking: picking{Picker: picker.Open(pick)}, terminal: t,
		theme: style.NewTheme(style.DetectColours(opts.env), style.PaletteFor(opts.set().Theme, dark || !known)),
	}
	loop := newLoop(ctx, p)
	keys := keyboard(t, loop)
	if err := keys.Start(); err != nil {
		return chosen, false, err
	}
	defer keys.Stop()
	err = serve(ctx, loop, signals, func(s os.Signal) bool {
		if s == syscall.SIGWINCH {
			loop.Send(resizedMsg{})
		}
		return s == syscall.SIGWINCH
	})
	if p.chosen && err == nil {
		chosen, ok = p.Selected()
	}
	return chosen, ok, err
}

// pickAlone is a list alone on the screen.
type pickAlone struct {
	picking
	terminal *term.Terminal
	theme    *style.Theme
	// chosen is set when it was left with a choice.
	chosen bool
}

// Init implements tea.Model.
func (p *pickAlone) Init() tea.Cmd { return p.show() }

// View implements tea.Model; nobody shows it.
func (p *pickAlone) View() string { return "" }

// Update implements tea.Model.
func (p *pickAlone) Update(message tea.Msg) (tea.Model, tea.Cmd) {
	switch message := message.(type) {
	case goneMsg:
		return p, tea.Quit
	case pickerMsg:
		message.done()
	case inputMsg:
		for _, event := range message {
			switch e := event.(type) {
			case term.Paste:
				p.Paste(string(e))
			case term.Key:
				if result := p.Key(e); result != picker.Stays {
					p.chosen = result == picker.Chosen
					return p, tea.Quit
				}
			}
		}
	}
	return p, p.show()
}

// show paints the list, and starts what it works on.
func (p *pickAlone) show() tea.Cmd {
	width, height := p.terminal.Size()
	rows, col := p.picking.View(p.theme, max(8, width-1), max(2, min(2*pickerRows, height-1)))
	p.terminal.Screen.Post(term.Frame{Live: rows, Col: min(col, width-1), Width: width, Height: height})
	return p.work()
}
