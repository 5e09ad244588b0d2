package input

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"agent/internal/atcmd"
	"agent/internal/command"
)

// Proposed is a message with proposals, to be passed to Complete.
type Proposed struct {
	// line is the text up to the cursor that the proposals are for. They replace its end, from
	// start on.
	line      string
	start     int
	proposals []command.Completion
	// more, unless it is nil, waits until further proposals can be asked for.
	more func()
}

// completable returns the text to complete, up to the cursor, and a function that asks for
// proposals. The function is nil unless the text is a command line, or a message that is about to
// name a file.
func (in *Input) completable() (line string, complete func() Proposed) {
	line = in.Editor.Text[:in.Editor.Cursor]
	if in.sources.Commands != nil && !strings.Contains(line, "\n") && command.IsCommandWord(FirstWord(line)) {
		commands := in.sources.Commands
		return line, func() Proposed {
			start, proposals := commands.Complete(line)
			return Proposed{line: line, start: start, proposals: proposals}
		}
	}
	start, typed, ok := atcmd.Unfinished(line)
	if !ok || in.sources.Files == nil {
		return line, nil
	}
	ctx, files := in.ctx, in.sources.Files
	return line, func() Proposed {
		mentions, whole := files.Complete(typed)
		found := Proposed{line: line, start: start}
		for _, m := range mentions {
			found.proposals = append(found.proposals, command.Completion{Value: m.Text, Help: m.Kind})
		}
		if !whole {
			found.more = func() { files.WaitListed(ctx) }
		}
		return found
	}
}

// Propose returns a command that asks for proposals for the typed text, to be run concurrently,
// or nil if there is nothing to ask.
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

// Complete shows proposals, unless the text has changed since they were asked for. It returns a
// command that asks again once more proposals can come. The selected proposal stays selected.
func (in *Input) Complete(msg Proposed) tea.Cmd {
	line, complete := in.completable()
	if complete == nil || line != msg.line || msg.start < 0 || msg.start > len(line) {
		return nil
	}
	accept, picked := in.popup.accept, ""
	if in.popup.open() && in.popup.selected >= 0 {
		picked = in.popup.proposals[in.popup.selected].Value
	}
	in.popup = popup{Proposed: msg, selected: -1}
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

// Tab takes the selected proposal, or the best one.
func (in *Input) Tab() tea.Cmd {
	if in.popup.open() {
		in.accept()
		return in.Propose()
	}
	cmd := in.Propose()
	in.popup.accept = cmd != nil
	return cmd
}

// Enter takes the selected proposal and reports whether there was one; runs is set if the line is
// then complete and to be sent. For a command's name it asks for proposals at once, so that Enter
// has the same effect whether or not the proposals have come.
func (in *Input) Enter() (taken, runs bool) {
	if line, complete := in.completable(); complete != nil && isCommandName(line) && line != in.popup.line {
		in.Complete(complete())
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
