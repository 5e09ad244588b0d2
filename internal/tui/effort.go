package tui

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"
)

// thinkMore and thinkLess change how long the model thinks.
func (m *Model) thinkMore() tea.Cmd { return m.think(1) }

func (m *Model) thinkLess() tea.Cmd { return m.think(-1) }

// think takes the next effort that the model knows, by steps up.
func (m *Model) think(steps int) tea.Cmd {
	var known []string
	if m.opts.Efforts != nil {
		known = m.opts.Efforts()
	}
	if len(known) == 0 {
		m.showHint("which efforts this model knows is not known: /set reasoning.effort sets one", false)
		return nil
	}
	at := slices.Index(known, m.status.Effort)
	if at < 0 { // what the vendor does by itself is in the middle
		at = len(known) / 2
	}
	next := min(max(at+steps, 0), len(known)-1)
	if next == at {
		m.showHint("the model knows no effort beyond "+known[at], false)
		return nil
	}
	return m.runCommand("/set reasoning.effort " + known[next])
}
