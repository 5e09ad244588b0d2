package tui

import (
	tea "github.com/charmbracelet/bubbletea"

	"agent/internal/tui/edit"
	"agent/internal/tui/style"
	"agent/internal/tui/term"
)

// startSearch begins Ctrl+R: the input shows the newest prompt that contains what
// is typed.
func (m *Model) startSearch() {
	m.popup.close()
	m.search = &search{found: -1}
}

// searchKey takes a key while searching. Enter and the keys that edit take what
// was found; Esc goes back to what was there.
func (m *Model) searchKey(k term.Key) tea.Cmd {
	s := m.search
	if k.Types() {
		s.query += edit.CleanInput(k.Text)
		s.found = m.prompts.Find(s.query, len(m.prompts.Entries))
		return nil
	}
	switch k.Name {
	case "ctrl+r":
		if older := m.prompts.Find(s.query, max(0, s.found)); s.found >= 0 && older >= 0 {
			s.found = older
		}
	case "backspace", "ctrl+h":
		e := edit.Editor{Text: s.query, Cursor: len(s.query)}
		e.Backspace()
		s.query = e.Text
		s.found = -1
		if s.query != "" {
			s.found = m.prompts.Find(s.query, len(m.prompts.Entries))
		}
	case "esc", "alt+esc", "ctrl+g", "ctrl+c":
		m.endSearch(false)
	case "enter", "tab":
		m.endSearch(true)
	default:
		m.endSearch(true)
		return m.key(k)
	}
	return nil
}

func (m *Model) endSearch(take bool) {
	if take && m.search.found >= 0 {
		m.recall(m.prompts.Entries[m.search.found])
	}
	m.search = nil
}

// search is the state of Ctrl+R.
type search struct {
	query string
	// found is the index of the entry shown, -1 for none.
	found int
}

// searchView shows the search in place of the input.
func (m *Model) searchView(width, height int) ([]string, place) {
	s := m.search
	head := "search: " + style.Clean(s.query)
	found := edit.Editor{}
	switch {
	case s.found >= 0:
		found.Set(m.prompts.Entries[s.found])
	case s.query != "":
		head = "nothing found: " + style.Clean(s.query)
	}
	found.Cursor = 0
	head = style.Truncate(head, width-1)
	rows := []string{m.theme.Accent.Text(head)}
	if !found.Empty() && height > 1 {
		more, _, _ := found.View(width-len(inputIndent), height-1)
		rows = append(rows, style.IndentAll(more, inputIndent)...)
	}
	return rows, place{0, style.Width(head)}
}
