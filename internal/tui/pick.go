package tui

import (
	"fmt"
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

// previewMsg brings what a choice of a picker looks like.
type previewMsg struct {
	picker *picker.Picker
	choice int
	text   string
}

// openPick opens a list of which every choice is a command line.
func (m *Model) openPick(pick command.Pick) tea.Cmd {
	return m.openPicker(pick, func(chosen command.Choice) tea.Cmd { return m.runCommand(chosen.Line) })
}

func (m *Model) openPicker(pick command.Pick, choose func(command.Choice) tea.Cmd) tea.Cmd {
	m.popup.close()
	m.picking = &picking{picker.Open(pick), choose}
	return m.loadPreview()
}

// pickable reports whether a list may open now: not over what is being typed or read,
// and not where nothing but lines are shown.
func (m *Model) pickable(pick *command.Pick) bool {
	return pick != nil && len(pick.Choices) > 0 && m.input.Empty() && m.pager == nil && m.picking == nil && !m.opts.Plain
}

// pickerKey gives a key to the list.
func (m *Model) pickerKey(k term.Key) tea.Cmd {
	open := m.picking
	switch open.Key(k) {
	case picker.Chosen:
		chosen, _ := open.Selected()
		m.picking = nil
		return open.choose(chosen)
	case picker.Left:
		m.picking = nil
	}
	return m.loadPreview()
}

// loadPreview loads what the selected choice looks like.
func (m *Model) loadPreview() tea.Cmd {
	if m.picking == nil {
		return nil
	}
	return loadPreview(m.picking.Picker)
}

func loadPreview(open *picker.Picker) tea.Cmd {
	choice, load := open.Wanted()
	if load == nil {
		return nil
	}
	return guarded(func() tea.Msg { return previewMsg{open, choice, load()} })
}

// searchPrompts opens the earlier prompts, the newest first. What is chosen goes into
// the input.
func (m *Model) searchPrompts() tea.Cmd {
	m.keepPastes()
	pick := command.Pick{Title: "earlier prompts"}
	seen := map[string]bool{}
	for i := len(m.prompts.Entries) - 1; i >= 0; i-- {
		if prompt := m.prompts.Entries[i]; !seen[prompt] {
			seen[prompt] = true
			pick.Choices = append(pick.Choices, promptChoice(prompt))
		}
	}
	if len(pick.Choices) == 0 {
		m.showHint("there are no earlier prompts yet", false)
		return nil
	}
	return m.openPicker(pick, func(chosen command.Choice) tea.Cmd {
		m.recall(chosen.Line)
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

// pickerView draws the list in place of the input.
func (m *Model) pickerView(width, height int) ([]string, place) {
	rows, col := m.picking.View(m.theme, width, height)
	return rows, place{0, col}
}
