package tui

import (
	tea "github.com/charmbracelet/bubbletea"
)

// startSearch begins Ctrl+R: the input shows the newest prompt that contains what
// is typed.
func (m *Model) startSearch() {
	m.popup.close()
	m.search = &search{found: -1}
}

// searchKey takes a key while searching. Enter and the keys that edit take what
// was found; Esc goes back to what was there.
func (m *Model) searchKey(k tea.KeyMsg) tea.Cmd {
	s := m.search
	if (k.Type == tea.KeyRunes || k.Type == tea.KeySpace) && !k.Alt {
		s.query += cleanInput(string(k.Runes))
		s.found = m.prompts.find(s.query, len(m.prompts.entries))
		return nil
	}
	switch k.String() {
	case "ctrl+r":
		if older := m.prompts.find(s.query, max(0, s.found)); s.found >= 0 && older >= 0 {
			s.found = older
		}
	case "backspace", "ctrl+h":
		e := editor{text: s.query, cursor: len(s.query)}
		e.backspace()
		s.query = e.text
		s.found = -1
		if s.query != "" {
			s.found = m.prompts.find(s.query, len(m.prompts.entries))
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
		m.input.set(m.prompts.entries[m.search.found])
	}
	m.search = nil
}
