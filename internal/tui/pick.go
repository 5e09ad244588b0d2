package tui

import (
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"agent/internal/command"
	"agent/internal/tui/picker"
	"agent/internal/tui/style"
	"agent/internal/tui/term"
	"agent/internal/words"
)

// picking is a list that is open in place of the input, and what happens with what is
// chosen. The draft is kept.
type picking struct {
	*picker.Picker
	choose func(command.Choice) tea.Cmd
}

// chooser is the list that is open in place of the input, if one is.
type chooser struct {
	*surface
	picking *picking
}

// pickerMsg brings what a picker worked on beside the screen.
type pickerMsg struct{ done func() }

// open opens a list; choose does what is chosen.
func (c *chooser) open(pick command.Pick, choose func(command.Choice) tea.Cmd) tea.Cmd {
	c.picking = &picking{picker.Open(pick), choose}
	return c.work()
}

// key gives a key to the list. It reports false when none is open.
func (c *chooser) key(k term.Key) (tea.Cmd, bool) {
	open := c.picking
	if open == nil {
		return nil, false
	}
	switch open.Key(k) {
	case picker.Chosen:
		chosen, _ := open.Selected()
		c.picking = nil
		return open.choose(chosen), true
	case picker.Left:
		c.picking = nil
	}
	return c.work(), true
}

// paste searches the list for pasted text. It reports false when none is open.
func (c *chooser) paste(text string) (tea.Cmd, bool) {
	if c.picking == nil {
		return nil, false
	}
	c.picking.Paste(text)
	return c.work(), true
}

// work starts what the list works on beside the screen.
func (c *chooser) work() tea.Cmd {
	if c.picking == nil {
		return nil
	}
	return c.picking.work()
}

func (p *picking) work() tea.Cmd {
	var cmds []tea.Cmd
	for _, job := range p.Jobs() {
		cmds = append(cmds, guarded(func() tea.Msg { return pickerMsg{job()} }))
	}
	return tea.Batch(cmds...)
}

// openPick opens a list of which every choice is a command line.
func (m *Model) openPick(pick command.Pick) tea.Cmd {
	m.input.Unpropose()
	return m.chooser.open(pick, func(chosen command.Choice) tea.Cmd { return m.runCommand(chosen.Line) })
}

// pickable reports whether a list may open now: not over what is being typed or read,
// and not where nothing but lines are shown.
func (m *Model) pickable(pick *command.Pick) bool {
	return pick != nil && len(pick.Choices) > 0 && m.input.Empty() && m.reader.pager == nil && m.chooser.picking == nil && !m.opts.Plain
}

// searchPrompts opens the earlier prompts, the newest first. What is chosen is put into
// the input.
func (m *Model) searchPrompts() tea.Cmd {
	pick := command.Pick{Title: "earlier prompts"}
	seen := map[string]bool{}
	for _, prompt := range slices.Backward(m.input.Prompts()) {
		if text := prompt.Text(); !seen[text] {
			seen[text] = true
			pick.Choices = append(pick.Choices, promptChoice(text))
		}
	}
	if len(pick.Choices) == 0 {
		m.showHint("there are no earlier prompts yet", false)
		return nil
	}
	m.input.Unpropose()
	return m.chooser.open(pick, func(chosen command.Choice) tea.Cmd {
		m.input.Recall(chosen.Line)
		return nil
	})
}

// promptSearched bounds how much of a prompt is searched and shown in a line, in bytes.
const promptSearched = 4 << 10

// promptChoice is an earlier prompt in a list; of one with several lines there is more
// to see.
func promptChoice(prompt string) command.Choice {
	head := prompt[:min(len(prompt), promptSearched)]
	choice := command.Choice{Name: strings.ReplaceAll(style.CleanProse(head), "\n", " ⏎ "), Line: prompt}
	if lines := words.Lines(prompt); lines > 1 {
		choice.Preview = func() string { return fmt.Sprintf("%s\n\n(%s)", head, words.Count(lines, "line")) }
	}
	return choice
}

// view draws the list in place of the input.
func (c *chooser) view(width, height int) ([]string, place) {
	rows, col := c.picking.View(c.theme, width, height)
	return rows, place{0, col}
}
