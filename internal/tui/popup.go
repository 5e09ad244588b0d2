package tui

import (
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"agent/internal/atcmd"
	"agent/internal/command"
	"agent/internal/tui/picker"
)

// popup is the list of completions under the input.
type popup struct {
	// line is the text up to the cursor that the proposals are for.
	line      string
	start     int
	proposals []command.Completion
	// selected is the proposal picked with the arrows, -1 for none.
	selected int
	// accept is set when Tab came before the proposals did.
	accept bool
}

func (p *popup) open() bool { return len(p.proposals) > 0 }

func (p *popup) close() { *p = popup{selected: -1} }

// move picks the next or previous proposal.
func (p *popup) move(by int) {
	n := len(p.proposals)
	switch {
	case p.selected < 0 && by < 0:
		p.selected = n - 1
	case p.selected < 0:
		p.selected = 0
	default:
		p.selected = (p.selected + by + n) % n
	}
}

// completionMsg brings proposals.
type completionMsg struct {
	line string
	completions
}

// completions are proposals for the end of a line, which begins at start. more, when
// there is one, waits until there are others to ask for.
type completions struct {
	start     int
	proposals []command.Completion
	more      func()
}

// completable is the text completions are for, up to the cursor: a command line, or
// a message in which a file is being named.
func (m *Model) completable() (line string, complete completer) {
	line = m.input.Text[:m.input.Cursor]
	if m.opts.Commands != nil && !strings.Contains(line, "\n") && command.IsCommandWord(firstWord(line)) {
		commands := m.opts.Commands
		return line, func() completions {
			start, proposals := commands.Complete(line)
			return completions{start: start, proposals: proposals}
		}
	}
	start, typed, ok := atcmd.Unfinished(line)
	if !ok || m.opts.Files == nil {
		return line, nil
	}
	ctx, files := m.ctx, m.opts.Files
	return line, func() completions {
		names, whole := files.Complete(typed)
		found := completions{start: start}
		for _, name := range names {
			found.proposals = append(found.proposals, command.Completion{Value: name})
		}
		if !whole {
			found.more = func() { files.Listed(ctx) }
		}
		return found
	}
}

// isCommandName reports a line that is the beginning of a command's name.
func isCommandName(line string) bool {
	return strings.HasPrefix(line, "/") && !strings.ContainsAny(line, " \n")
}

// firstProposal is the proposal of a command that is selected by itself: the word that
// stands there, else the first that loses nothing.
func firstProposal(line string, proposals []command.Completion) int {
	if exact := slices.IndexFunc(proposals, func(c command.Completion) bool { return c.Value == line }); exact >= 0 {
		return exact
	}
	return max(0, slices.IndexFunc(proposals, func(c command.Completion) bool { return !c.Loses }))
}

// runsSelected reports that Enter runs the selected proposal, and does not only fill it
// in: what loses something runs as the whole word that somebody typed or took.
func (p *popup) runsSelected() bool {
	selected := p.proposals[max(0, p.selected)]
	return isCommandName(p.line) && (!selected.Loses || selected.Value == p.line)
}

// completer proposes values for the end of a line.
type completer func() completions

// proposeLater asks for completions of what is typed.
func (m *Model) proposeLater() tea.Cmd {
	line, complete := m.completable()
	if complete == nil {
		m.popup.close()
		return nil
	}
	if line == m.popup.line && m.popup.open() {
		return nil
	}
	m.popup.close()
	return guarded(func() tea.Msg { return completionMsg{line, complete()} })
}

// complete takes proposals, unless the text has changed since they were asked for, and
// asks for others once there are more. What was picked stays picked.
func (m *Model) complete(msg completionMsg) tea.Cmd {
	line, complete := m.completable()
	if complete == nil || line != msg.line || msg.start < 0 || msg.start > len(line) {
		return nil
	}
	accept, picked := m.popup.accept, ""
	if m.popup.open() && m.popup.selected >= 0 {
		picked = m.popup.proposals[m.popup.selected].Value
	}
	m.popup = popup{line: line, start: msg.start, proposals: msg.proposals, selected: -1}
	if isCommandName(line) {
		m.popup.selected = firstProposal(line, msg.proposals)
	} else if picked != "" {
		m.popup.selected = slices.IndexFunc(msg.proposals, func(c command.Completion) bool { return c.Value == picked })
	}
	if only := msg.proposals; len(only) == 1 && only[0].Value == line[msg.start:] {
		m.popup.close()
	}
	if accept && m.popup.open() {
		m.acceptCompletion()
		return nil
	}
	if msg.more == nil {
		return nil
	}
	return guarded(func() tea.Msg {
		msg.more()
		return completionMsg{line, complete()}
	})
}

// proposeNow takes the proposals of a command's name at once: Enter may come before those
// that were asked for, and does the same then.
func (m *Model) proposeNow() {
	if line, complete := m.completable(); complete != nil && isCommandName(line) && line != m.popup.line {
		m.complete(completionMsg{line, complete()})
	}
}

// tab takes the picked proposal, or the best one.
func (m *Model) tab() tea.Cmd {
	if m.popup.open() {
		m.acceptCompletion()
		return m.proposeLater()
	}
	cmd := m.proposeLater()
	m.popup.accept = cmd != nil
	return cmd
}

func (m *Model) acceptCompletion() {
	p := m.popup
	value := p.proposals[max(0, p.selected)].Value
	m.popup.close()
	m.input.Replace(p.start, value)
	if m.input.Cursor == len(m.input.Text) && !strings.HasSuffix(value, " ") && !strings.HasSuffix(value, "/") {
		m.input.Insert(" ")
	}
}

// popupView shows the proposals around the picked one.
func (m *Model) popupView(width, room int) []string {
	p := &m.popup
	if !p.open() || room <= 0 {
		return nil
	}
	counted := len(p.proposals) > room && room > 2
	if counted {
		room-- // for the line that counts
	}
	list := make([]picker.Row, len(p.proposals))
	for i, c := range p.proposals {
		list[i] = picker.Row{Name: c.Value, Help: c.Help}
	}
	lines := picker.Rows(m.theme, list, p.selected, width, room)
	if counted {
		lines = append(lines, m.theme.Dim.Text(fmt.Sprintf("  %d of %d", max(0, p.selected)+1, len(p.proposals))))
	}
	return lines
}
