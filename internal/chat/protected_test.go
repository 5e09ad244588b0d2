package chat

import (
	"context"
	"strings"
	"testing"

	"agent/internal/base/arguments"
	"agent/internal/gate"
	"agent/internal/protect"
	"agent/internal/rules"
	"agent/internal/tools"
)

// protectedTools returns tools whose calls all use a protected file.
func protectedTools(care protect.Protection) *tools.Registry {
	tool := func(name string, does tools.Traits, preview tools.Preview) tools.Tool {
		preview.Protected = []protect.File{{Path: ".vscode/tasks.json", Name: ".vscode", Protection: care, Why: "editors run it"}}
		return tools.Tool{Name: name, Traits: does, Plan: func(context.Context, *tools.Env, arguments.Arguments) (tools.Plan, error) {
			return tools.Plan{Preview: preview, Apply: func(context.Context) tools.Answer { return tools.Answer{Text: "done"} }}, nil
		}}
	}
	return tools.NewRegistry(
		tool("edit", tools.Traits{Edits: true}, tools.Preview{Paths: []string{".vscode/tasks.json"}}),
		tool("show", tools.Traits{Reads: true}, tools.Preview{}),
		tool("shell", tools.Traits{Runs: true}, tools.Preview{Command: "cat .vscode/tasks.json", Confined: true}),
	)
}

// A protected file requires approval in the modes of its protection. Only a rule that names the
// file allows it (D-60).
func TestProtectedFilesRequireApproval(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{"edit", "show", "shell"} {
		for _, tc := range []struct {
			mode  gate.Mode
			care  protect.Protection
			rule  string
			asked bool
		}{
			{gate.ModeAutoEdit, protect.NeedsApproval, "", true},
			{gate.ModeAutoEdit, protect.AlwaysNeedsApproval, "", true},
			{gate.ModeFullAuto, protect.NeedsApproval, "", false},
			{gate.ModeFullAuto, protect.AlwaysNeedsApproval, "", true},
			{gate.ModeAutoEdit, protect.NeedsApproval, tool + "(*)", true},
			{gate.ModeAutoEdit, protect.NeedsApproval, tool + "(**/*.json)", true},
			{gate.ModeAutoEdit, protect.AlwaysNeedsApproval, tool + "(.vscode/**)", false},
			{gate.ModeAsk, protect.NeedsApproval, tool + "(.vscode/**)", false},
		} {
			if tool == "shell" && tc.rule != "" {
				continue // rules for commands match commands only
			}
			b := newBench(t, calls(tool, `{}`), say("ok"))
			b.config.Tools = protectedTools(tc.care)
			b.renew()
			b.set("approval-mode", string(tc.mode))
			if tc.rule != "" {
				rule, err := rules.Parse(tc.rule, func(string) (rules.Subject, error) { return rules.SubjectFiles, nil })
				if err != nil {
					t.Fatal(err)
				}
				b.config.Policy.Allow = rules.Rules{rule}
				b.renew()
			}
			b.answering(Decision{Allow: true})
			if _, err := b.prompt("go"); err != nil {
				t.Fatal(err)
			}
			asked := seen[ApprovalRequested](b)
			if len(asked) > 0 != tc.asked {
				t.Errorf("%s in %s with %q and care %d: asked %v", tool, tc.mode, tc.rule, tc.care, asked)
			}
			if len(asked) > 0 && asked[0].Approval.Always != "" {
				t.Errorf("%s: always is offered: %q", tool, asked[0].Approval.Always)
			}
		}
	}
}

// Without a user, an edit or a read of a protected file ends the run. In a read-only mode a read is
// refused and the run continues (D-121).
func TestProtectedFilesUnattended(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		tool string
		mode gate.Mode
		want Stop
	}{
		{"edit", gate.ModeFullAuto, StopDenied},
		{"show", gate.ModeFullAuto, StopDenied},
		{"show", gate.ModeAsk, StopDenied},
		{"show", gate.ModePlan, StopDone},
		{"show", gate.ModeReadOnly, StopDone},
	} {
		tool, want := tc.tool, tc.want
		b := newBench(t, calls(tool, `{}`), say("ok"))
		b.config.Tools, b.config.Policy.Unattended = protectedTools(protect.AlwaysNeedsApproval), true
		b.renew()
		b.set("approval-mode", string(tc.mode))
		out, err := b.prompt("go")
		if err != nil || out.Stop != want || !strings.Contains(b.responses()[0].Error, "refused") {
			t.Errorf("%s: %+v %v %+v", tool, out, err, b.responses()[0])
		}
		if notices := seen[Notice](b); len(notices) != 1 || !strings.Contains(notices[0].Text, ".vscode") {
			t.Errorf("%s: %+v", tool, notices)
		}
	}
}

// Reading a secret file requires approval each time. "Always" is not offered, and is ignored in an
// answer. A refusal also ends the parallel calls.
func TestReadingRequiresApprovalEachTime_D60(t *testing.T) {
	t.Parallel()
	b := newBench(t, calls("show", `{}`, "show", `{}`), calls("show", `{}`), say("ok"))
	b.config.Tools = protectedTools(protect.AlwaysNeedsApproval)
	b.renew()
	b.answering(Decision{Allow: true, Always: true})
	if _, err := b.prompt("go"); err != nil {
		t.Fatal(err)
	}
	if asked := seen[ApprovalRequested](b); len(asked) != 3 || asked[0].Approval.Always != "" {
		t.Errorf("%+v", asked)
	}
	b = newBench(t, calls("show", `{}`, "show", `{}`))
	b.config.Tools = protectedTools(protect.AlwaysNeedsApproval)
	b.renew()
	b.answering(Decision{})
	out, err := b.prompt("go")
	if err != nil || out.Stop != StopDenied || len(seen[ApprovalRequested](b)) != 1 || len(b.responses()) != 2 {
		t.Errorf("%+v %v", out, err)
	}
}

// The approval prompt of a call with neither a diff nor a command shows all of its arguments.
// Without a user, the refusal contains them. Other calls show their effect.
func TestApprovalShowsTheArguments(t *testing.T) {
	t.Parallel()
	const sent = `{"to":"a","body":"b"}`
	for _, preview := range []tools.Preview{{}, {Diff: "--- a\n"}, {Command: "make"}} {
		for _, unattended := range []bool{false, true} {
			b := newBench(t, calls("send", sent), say("done"))
			b.config.Tools = tools.NewRegistry(tools.Tool{Name: "send", Plan: func(context.Context, *tools.Env, arguments.Arguments) (tools.Plan, error) {
				return tools.Plan{Preview: preview, Apply: func(context.Context) tools.Answer { return tools.Answer{Text: "sent"} }}, nil
			}})
			b.config.Policy.Unattended = unattended
			b.renew()
			b.set("approval-mode", "ask")
			b.answering(Decision{Allow: true})
			if _, err := b.prompt("go"); err != nil {
				t.Fatal(err)
			}
			shown := preview.Diff == "" && preview.Command == ""
			for _, asked := range seen[ApprovalRequested](b) {
				if p := asked.Approval.Preview; (string(p.Arguments) == sent) != shown || p.Title == "" {
					t.Errorf("%+v", p)
				}
			}
			for _, notice := range seen[Notice](b) {
				if strings.Contains(notice.Text, "refused") && strings.Contains(notice.Text, sent) != shown {
					t.Errorf("%s", notice.Text)
				}
			}
			if n := len(seen[ApprovalRequested](b)) + len(seen[Notice](b)); n != 1 {
				t.Errorf("unattended %t: %d questions and notices", unattended, n)
			}
		}
	}
}
