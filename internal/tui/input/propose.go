package input

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"agent/internal/atcmd"
	"agent/internal/command"
)

// Proposed brings proposals; it belongs into Complete.
type Proposed struct {
	// line is the text up to the cursor that the proposals are for; its end from start is
	// what they replace.
	line      string
	start     int
	proposals []command.Completion
	// more, when there is one, waits until there are others to ask for.
	more func()
}

// completable is the text completions are for, up to the cursor: a command line, or
// a message in which a file is being named.
func (in *Input) completable() (line string, complete func() Proposed) {
	line = in.Text[:in.Cursor]
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
			found.more = func() { files.Listed(ctx) }
		}
		return found
	}
}

// Propose asks for completions of what is typed. What it returns is to be run beside, and
// is nil when there is nothing to ask.
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

// Complete takes proposals, unless the text has changed since they were asked for, and
// asks for others once there are more. What was picked stays picked.
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

// Tab takes the picked proposal, or the best one.
func (in *Input) Tab() tea.Cmd {
	if in.popup.open() {
		in.accept()
		return in.Propose()
	}
	cmd := in.Propose()
	in.popup.accept = cmd != nil
	return cmd
}

// Enter takes the proposal that is picked and reports whether there was one; runs is set
// when the line is complete with it and to be sent. The proposals of a command's name
// are asked for at once: Enter may come before those that were asked for, and does the
// same then.
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
	in.Replace(p.start, value)
	if in.Cursor == len(in.Text) && !strings.HasSuffix(value, " ") && !strings.HasSuffix(value, "/") {
		in.Insert(" ")
	}
}
