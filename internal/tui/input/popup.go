package input

import (
	"fmt"
	"slices"
	"strings"

	"agent/internal/command"
	"agent/internal/tui/picker"
	"agent/internal/tui/style"
)

// popup is the list of completions under the input.
type popup struct {
	ProposalsMsg
	// selected is the proposal that Enter accepts, or -1 for none. moved is set if the user selected it
	// with the arrows.
	selected int
	moved    bool
	// accept is set if Tab was pressed before there were proposals.
	accept bool
}

func (p *popup) open() bool { return len(p.proposals) > 0 }

func (p *popup) close() { *p = popup{selected: -1} }

// isCommandName reports whether a line can be the beginning of a command's name.
func isCommandName(line string) bool {
	return strings.HasPrefix(line, "/") && !strings.ContainsAny(line, " \n")
}

// firstProposal returns the index of the command that is selected by default. It is the command whose name
// was typed in full. Otherwise it is the first command that discards nothing, among those whose names begin
// with the typed text if there are any.
func firstProposal(line string, proposals []command.Completion) int {
	if exact := slices.IndexFunc(proposals, func(c command.Completion) bool { return c.Value == line }); exact >= 0 {
		return exact
	}
	named := slices.IndexFunc(proposals, func(c command.Completion) bool { return !c.BeginsWith(line) })
	if named <= 0 {
		named = len(proposals)
	}
	return max(0, slices.IndexFunc(proposals[:named], func(c command.Completion) bool { return !c.Loses }))
}

// runsSelected reports whether Enter runs the selected proposal, instead of only filling it in. A command
// that discards something runs only if the user has typed or accepted the whole word. A command that has
// another name than the typed one runs only if the user selected it.
func (p *popup) runsSelected() bool {
	selected := p.proposals[max(0, p.selected)]
	return isCommandName(p.line) && (p.moved || selected.BeginsWith(p.line)) && (!selected.Loses || selected.Value == p.line)
}

// IsProposing reports whether proposals are shown.
func (in *Input) IsProposing() bool { return in.popup.open() }

// MoveSelection selects the next or previous proposal.
func (in *Input) MoveSelection(by int) {
	p := &in.popup
	if by < 0 {
		p.selected = max(0, p.selected)
	}
	p.selected = (p.selected + by + len(p.proposals)) % len(p.proposals)
	p.moved = true
}

// Dismiss removes the proposals. There are no new proposals until the line changes.
func (in *Input) Dismiss() {
	line := in.popup.line
	in.popup.close()
	in.popup.line = line
}

// CloseProposals removes the proposals.
func (in *Input) CloseProposals() { in.popup.close() }

// Proposals returns the rows of the proposals around the selected one.
func (in *Input) Proposals(t *style.Theme, width, room int) []string {
	p := &in.popup
	if !p.open() || room <= 0 {
		return nil
	}
	counted := len(p.proposals) > room && room > 2
	if counted {
		room-- // one row shows the number of omitted proposals
	}
	list := make([]picker.Row, len(p.proposals))
	for i, c := range p.proposals {
		list[i] = picker.Row{Name: c.Value, Help: c.Help}
	}
	lines := picker.Rows(t, list, p.selected, width, room)
	if counted {
		lines = append(lines, t.Dim.Text(fmt.Sprintf("  %d of %d", max(0, p.selected)+1, len(p.proposals))))
	}
	return lines
}
