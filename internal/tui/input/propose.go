package input

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"agent/internal/atcmd"
	"agent/internal/command"
)

// ProposalsMsg holds proposals for a typed text. The caller passes it to Complete.
type ProposalsMsg struct {
	// line is the text up to the cursor for which the proposals were made. They replace its end, beginning
	// at start.
	line      string
	start     int
	proposals []command.Completion
	// more waits until there can be further proposals. It is nil if there can be none.
	more func()
}

// completable returns the text to complete, up to the cursor, and a function that makes the proposals. The
// function is nil unless the text is a command line, or a message whose end can name a file.
func (in *Input) completable() (line string, complete func() ProposalsMsg) {
	line = in.Editor.Text[:in.Editor.Cursor]
	if in.sources.Commands != nil && !strings.Contains(line, "\n") && command.IsCommandWord(FirstWord(line)) {
		commands := in.sources.Commands
		return line, func() ProposalsMsg {
			start, proposals := commands.Complete(line)
			return ProposalsMsg{line: line, start: start, proposals: proposals}
		}
	}
	start, typed, ok := atcmd.FindIncomplete(line)
	if !ok || in.sources.Files == nil {
		return line, nil
	}
	ctx, files := in.ctx, in.sources.Files
	return line, func() ProposalsMsg {
		mentions, whole := files.Complete(typed)
		found := ProposalsMsg{line: line, start: start}
		for _, m := range mentions {
			found.proposals = append(found.proposals, command.Completion{Value: m.Text, Help: m.Kind})
		}
		if !whole {
			found.more = func() { files.WaitListed(ctx) }
		}
		return found
	}
}

// Propose returns a command that makes proposals for the typed text, to be run concurrently. It returns nil
// if there can be none.
func (in *Input) Propose() tea.Cmd {
	line, complete := in.completable()
	if complete == nil {
		in.popup.close()
		return nil
	}
	if line == in.popup.line && in.popup.open() {
		return nil
	}
	in.popup.close()
	return func() tea.Msg { return complete() }
}

// ShowProposals shows proposals, unless the text has changed since they were requested. It returns a command
// that waits for further proposals and requests them again. The selected proposal stays selected.
func (in *Input) ShowProposals(msg ProposalsMsg) tea.Cmd {
	line, complete := in.completable()
	if complete == nil || line != msg.line || msg.start < 0 || msg.start > len(line) {
		return nil
	}
	accept, picked := in.popup.accept, ""
	if in.popup.open() && in.popup.selected >= 0 {
		picked = in.popup.proposals[in.popup.selected].Value
	}
	in.popup = popup{ProposalsMsg: msg, selected: -1}
	if isCommandName(line) {
		in.popup.selected = firstProposal(line, msg.proposals)
	} else if picked != "" {
		in.popup.selected = slices.IndexFunc(msg.proposals, func(c command.Completion) bool { return c.Value == picked })
	}
	if only := msg.proposals; len(only) == 1 && only[0].Value == line[msg.start:] {
		in.popup.close()
	}
	if accept && in.popup.open() {
		in.accept()
		return nil
	}
	if msg.more == nil {
		return nil
	}
	return func() tea.Msg {
		msg.more()
		return complete()
	}
}

// Tab accepts the selected proposal, or the best proposal if none is selected.
func (in *Input) Tab() tea.Cmd {
	if in.popup.open() {
		in.accept()
		return in.Propose()
	}
	cmd := in.Propose()
	in.popup.accept = cmd != nil
	return cmd
}

// AcceptProposal accepts the selected proposal and reports whether there was one. runs is set if the line is then
// complete and can be sent. For a command's name it requests proposals immediately, so that the effect does
// not depend on whether they are already shown.
func (in *Input) AcceptProposal() (taken, runs bool) {
	if line, complete := in.completable(); complete != nil && isCommandName(line) && line != in.popup.line {
		in.ShowProposals(complete())
	}
	if !in.popup.open() || in.popup.selected < 0 {
		return false, false
	}
	runs = in.popup.runsSelected()
	in.accept()
	return true, runs
}

func (in *Input) accept() {
	p := in.popup
	value := p.proposals[max(0, p.selected)].Value
	in.popup.close()
	in.Editor.Replace(p.start, value)
	if in.Editor.Cursor == len(in.Editor.Text) && !strings.HasSuffix(value, " ") && !strings.HasSuffix(value, "/") {
		in.Editor.Insert(" ")
	}
}
