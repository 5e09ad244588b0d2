package tui

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"agent/internal/base/humanize"
	"agent/internal/command"
	"agent/internal/tui/picker"
	"agent/internal/tui/style"
	"agent/internal/tui/term"
)

// chooser holds the list that is open in place of the input, and the function that handles the choice. The
// draft in the input does not change.
type chooser struct {
	// picking is nil while no list is open.
	picking *picker.Picker
	choose  func(command.Choice) tea.Cmd
}

func (c *chooser) open(pick command.ChoiceList, choose func(command.Choice) tea.Cmd) tea.Cmd {
	c.picking, c.choose = picker.Open(pick), choose
	return c.work()
}

// key passes a key to the list. It returns false if no list is open.
func (c *chooser) key(k term.Key) (tea.Cmd, bool) {
	open := c.picking
	if open == nil {
		return nil, false
	}
	switch open.Key(k) {
	case picker.ResultChosen:
		chosen, _ := open.Selected()
		c.picking = nil
		return c.choose(chosen), true
	case picker.ResultCanceled:
		c.picking = nil
	}
	return c.work(), true
}

// work returns a command that runs the background jobs of the list.
func (c *chooser) work() tea.Cmd {
	if c.picking == nil {
		return nil
	}
	var cmds []tea.Cmd
	for _, job := range c.picking.DueJobs() {
		cmds = append(cmds, guardPanic(func() tea.Msg {
			done := job()
			return thenMsg(func() tea.Cmd { done(); return c.work() })
		}))
	}
	return tea.Batch(cmds...)
}

// pickable reports whether a list can open now. It cannot while the user types or reads, or in plain mode.
func (m *Model) pickable(pick *command.ChoiceList) bool {
	return pick != nil && len(pick.Choices) > 0 && m.input.Editor.Empty() && m.reader.pager == nil && m.chooser.picking == nil && !m.surface.plain
}

// searchPrompts opens a list of the earlier prompts, newest first. The chosen prompt is put into the input.
func (m *Model) searchPrompts() tea.Cmd {
	pick := command.ChoiceList{Title: "earlier prompts"}
	seen := map[string]bool{}
	for _, prompt := range slices.Backward(m.input.Prompts.Entries) {
		if text := prompt.Text(); !seen[text] {
			seen[text] = true
			pick.Choices = append(pick.Choices, promptChoice(text))
		}
	}
	if len(pick.Choices) == 0 {
		m.surface.showHint("no earlier prompts", false)
		return nil
	}
	m.input.CloseProposals()
	return m.chooser.open(pick, func(chosen command.Choice) tea.Cmd {
		m.input.Recall(chosen.Line)
		return nil
	})
}

// promptSearched limits the bytes of a prompt that are searched and shown in the list.
const promptSearched = 4 << 10

// promptChoice returns a list entry for an earlier prompt. A prompt of several lines has a
// preview.
func promptChoice(prompt string) command.Choice {
	head := prompt[:min(len(prompt), promptSearched)]
	choice := command.Choice{Name: strings.ReplaceAll(style.CleanProse(head), "\n", " ⏎ "), Line: prompt}
	if lines := humanize.LineCount(prompt); lines > 1 {
		choice.Preview = func() string { return fmt.Sprintf("%s\n\n(%s)", head, humanize.Count(lines, "line")) }
	}
	return choice
}

// Choose shows a list on the terminal before there is a session, and returns the choice. ok is false if the
// user chose nothing. Pick uses only the options In, Out, Environ, Plain and Settings. If the terminal can
// only print lines, Pick returns ErrNoTerminal.
func Choose(ctx context.Context, opts Options, pick command.ChoiceList) (chosen command.Choice, ok bool, err error) {
	environ := environment(opts.Environ)
	if !term.IsTerminal(opts.In) || !term.IsTerminal(opts.Out) || opts.Plain || environ.get("TERM") == "dumb" {
		return chosen, false, ErrNoTerminal
	}
	signals, deaf := term.NotifySignals(opts.Out)
	defer deaf()
	t, err := takeTerminal(opts)
	if err != nil {
		return chosen, false, err
	}
	defer giveBack(t)
	dark, known := term.DeclaredBackground(environ.get("COLORFGBG"))
	p := &pickAlone{terminal: t, theme: style.NewTheme(style.DetectColors(environ.get), style.PaletteFor(opts.set().Theme, dark || !known, opts.Palettes...))}
	p.picking = picker.Open(pick)
	p.choose = func(choice command.Choice) tea.Cmd {
		chosen, ok = choice, true
		return nil
	}
	loop := newLoop(ctx, p)
	err = serve(ctx, loop, keyboard(t, loop), signals, func(s os.Signal) bool {
		if term.IsResize(s) {
			loop.Send(resizedMsg{})
		}
		return term.IsResize(s)
	})
	return chosen, ok, err
}

// pickAlone shows a list on an otherwise empty screen.
type pickAlone struct {
	unseen
	chooser
	terminal *term.Terminal
	theme    *style.Theme
}

// Init implements tea.Model.
func (p *pickAlone) Init() tea.Cmd { return p.show() }

// Update implements tea.Model.
func (p *pickAlone) Update(message tea.Msg) (tea.Model, tea.Cmd) {
	if p.picking == nil { // a message may still arrive before the loop ends
		return p, tea.Quit
	}
	var next tea.Cmd
	switch message := message.(type) {
	case goneMsg:
		return p, tea.Quit
	case thenMsg:
		next = message()
	case inputMsg:
		for _, event := range message {
			switch e := event.(type) {
			case term.Paste:
				p.picking.Paste(string(e))
			case term.Key:
				work, _ := p.key(e)
				next = tea.Batch(next, work)
			}
			if p.picking == nil {
				return p, tea.Quit
			}
		}
	}
	return p, tea.Batch(next, p.show())
}

// show paints the list and starts its background jobs.
func (p *pickAlone) show() tea.Cmd {
	width, height := p.terminal.Size()
	rows, col := p.picking.View(p.theme, max(8, width-1), max(2, min(2*pickerRows, height-1)))
	p.terminal.Screen.Post(term.Frame{Live: rows, Col: min(col, width-1), Width: width, Height: height})
	return p.work()
}
