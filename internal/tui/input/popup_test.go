package input

import (
	"testing"

	"agent/internal/command"
)

// Enter never runs a command with another name than the typed one, unless the user selected it.
func TestEnterRunsTheTypedCommand(t *testing.T) {
	t.Parallel()
	clearing, jobs, redo := command.Completion{Value: "/clear", Loses: true}, command.Completion{Value: "/jobs"}, command.Completion{Value: "/redo"}
	context := command.Completion{Value: "/context"}
	for _, tt := range []struct {
		line      string
		proposals []command.Completion
		selected  string
		runs      bool
	}{
		{"/clea", []command.Completion{clearing, jobs}, "/clear", false},
		{"/c", []command.Completion{clearing, context, jobs}, "/context", true},
		{"/clear", []command.Completion{clearing, jobs}, "/clear", true},
		{"/CON", []command.Completion{context, jobs}, "/context", true},
		{"/revert", []command.Completion{redo}, "/redo", false},
		{"/wipe", []command.Completion{clearing, redo}, "/redo", false},
	} {
		p := popup{ProposalsMsg: ProposalsMsg{line: tt.line, proposals: tt.proposals}, selected: firstProposal(tt.line, tt.proposals)}
		if got := p.proposals[p.selected].Value; got != tt.selected || p.runsSelected() != tt.runs {
			t.Errorf("%s selects %s and runs it: %t", tt.line, got, p.runsSelected())
		}
	}
	in := Input{popup: popup{ProposalsMsg: ProposalsMsg{line: "/revert", proposals: []command.Completion{redo, jobs}}}}
	in.MoveSelection(1)
	if !in.popup.runsSelected() {
		t.Error("a selected command does not run")
	}
}
