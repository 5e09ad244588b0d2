package tui

import tea "github.com/charmbracelet/bubbletea"

// stash puts the draft aside, for something else that is to be said first; on an empty
// line it brings the draft back.
func (m *Model) stash() tea.Cmd {
	draft := m.input.Message()
	switch {
	case draft.Trim().Text() == "" && m.stashed == nil:
		m.showHint("there is no draft to put aside", false)
	case draft.Trim().Text() == "":
		m.unstash()
	case m.stashed != nil:
		m.showHint("a draft is put aside already: "+m.opts.Keys.Label("stash")+" on an empty line brings it back", false)
	default:
		m.input.Unpropose()
		m.input.Sent()
		m.stashed = &draft
		m.showHint("the draft is put aside: "+m.opts.Keys.Label("stash")+" brings it back", false)
	}
	return nil
}

// unstash brings back the draft that was put aside, if there is one.
func (m *Model) unstash() {
	if m.stashed != nil {
		m.input.Restore(*m.stashed)
		m.stashed = nil
	}
}
