package chat

import (
	"context"
	"encoding/json"
	"testing"

	"agent/internal/base/arguments"
	"agent/internal/history"
	"agent/internal/tools"
	"agent/internal/toolspec"
)

// A patch in a shell command is approved, refused and recorded as an edit (D-92).
func TestAPatchInTheShellIsApprovedAsAnEdit(t *testing.T) {
	t.Parallel()
	const command = `{"command":"apply_patch <<'EOF'\n*** Begin Patch\n*** Delete File: a\n*** End Patch\nEOF"}`
	for mode, refused := range map[string]bool{"full-auto": false, "read-only": true} {
		b := newBench(t, calls("run_shell_command", command), say("done"))
		var got string
		b.Chat.config.Tools = tools.NewRegistry(append(b.config.Tools.All(),
			tools.Tool{Name: "run_shell_command", Traits: tools.Traits{Runs: true, Density: toolspec.Density{Command: []string{"command"}}}, Schema: json.RawMessage(`{"type":"object"}`), Plan: applied(nil)},
			tools.Tool{Name: "apply_patch", Traits: tools.Traits{Edits: true, Density: toolspec.Density{Patch: []string{"input"}}}, Schema: json.RawMessage(`{"type":"object"}`), Plan: patchOnly(&got)})...)
		b.renew()
		b.set("approval-mode", mode)
		if _, err := b.prompt("go"); err != nil {
			t.Fatal(err)
		}
		if answer := b.responses()[0]; answer.ToolName != "apply_patch" || (answer.Error != "") != refused {
			t.Errorf("%s: %s answered %+v", mode, answer.ToolName, answer.Error)
		}
		var recorded *history.ToolCall
		for _, entry := range b.config.History.RawHistory() {
			for _, call := range entry.Calls() {
				recorded = call
			}
		}
		if want := "*** Begin Patch\n*** Delete File: a\n*** End Patch\n"; recorded.Name != "apply_patch" || recorded.Arguments().StringArg("input") != want || got != want {
			t.Errorf("%s: recorded %s %s, planned %q", mode, recorded.Name, recorded.Parameters, got)
		}
		b.valid()
	}
}

// patchOnly returns a plan function that plans an edit and stores the patch in got.
func patchOnly(got *string) planFunc {
	return func(_ context.Context, _ *tools.Env, args arguments.Arguments) (tools.Plan, error) {
		var a struct{ Input string }
		err := json.Unmarshal(args.Raw(), &a)
		*got = a.Input
		return tools.Plan{
			Preview: tools.Preview{Title: "delete a", Paths: []string{"a"}},
			Apply:   func(context.Context) tools.Answer { return tools.Answer{Text: "Deleted a."} },
		}, err
	}
}
