package chat

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"agent/internal/tools"
)

// A grant names exactly what it allows, can be listed, and is asked about again
// once it was taken back.
func TestGrantsCanBeForgotten(t *testing.T) {
	t.Parallel()
	running(t, func(t *testing.T, b *bench) {
		b.set("approval-mode", "ask")
		b.answering(Decision{Allow: true, Always: true})
		b.Send("go")
		synctest.Wait()
		if asked := seen[ApprovalRequested](b); len(asked) != 2 || asked[0].Approval.Always != "edits of Makefile" {
			t.Fatalf("asked %+v", asked)
		}
		if grants, err := b.Grants(t.Context()); err != nil || !slices.Equal(grants, []string{"edits of Makefile", "edits of Dockerfile"}) {
			t.Fatalf("grants %q, %v", grants, err)
		}
		if _, err := b.ForgetGrant(t.Context(), 3); err == nil {
			t.Error("a grant that is not there was forgotten")
		}
		if forgotten, err := b.ForgetGrant(t.Context(), 1); err != nil || !slices.Equal(forgotten, []string{"edits of Makefile"}) {
			t.Errorf("forgot %q, %v", forgotten, err)
		}
		b.Send("again")
		synctest.Wait()
		if asked := seen[ApprovalRequested](b); len(asked) != 3 {
			t.Errorf("asked %d times after it was forgotten", len(asked))
		}
		if forgotten, _ := b.ForgetGrant(t.Context(), 0); len(forgotten) != 2 {
			t.Errorf("forgot %q of all", forgotten)
		}
	}, calls("write_file", `{"file_path":"Makefile"}`), calls("write_file", `{"file_path":"Makefile"}`), calls("write_file", `{"file_path":"Dockerfile"}`), say("ok"),
		calls("write_file", `{"file_path":"Makefile"}`), say("ok"))
}

// A mode that allows the call answers the question.
func TestAWiderModeAnswers(t *testing.T) {
	t.Parallel()
	running(t, func(t *testing.T, b *bench) {
		b.set("approval-mode", "ask")
		b.Send("go")
		synctest.Wait()
		b.CycleMode() // auto-edit
		synctest.Wait()
		if len(seen[ApprovalSettled](b)) != 1 || b.responses()[0].Error != "" {
			t.Errorf("the question is still open: %+v", b.responses())
		}
	}, calls("write_file", `{"file_path":"a.go"}`), say("ok"))
}

// A line that was allowed outside the sandbox is allowed in its folder and no other:
// what ./build runs elsewhere nobody has seen.
func TestAGrantIsForItsFolder(t *testing.T) {
	t.Parallel()
	b := newBench(t, calls("shell", `{"command":"here"}`), calls("shell", `{"command":"here"}`), calls("shell", `{"command":"there"}`), say("ok"))
	b.Tools = tools.NewRegistry(tools.Tool{
		Name: "shell", Traits: tools.Traits{Runs: true, Key: "command"},
		Plan: func(_ context.Context, _ *tools.Env, args json.RawMessage) (tools.Plan, error) {
			preview := tools.Preview{Outside: "why", Command: "./build"}
			if strings.Contains(string(args), "there") {
				preview.Directory = "there"
			}
			return tools.Plan{Preview: preview, Apply: func(context.Context) tools.Answer { return tools.Answer{Text: "ran"} }}, nil
		},
	})
	b.set("approval-mode", "auto-edit")
	b.answering(Decision{Allow: true, Always: true})
	if out, err := b.prompt("go"); err != nil || out.Stop != StopDone {
		t.Fatalf("%+v %v", out, err)
	}
	questions := seen[ApprovalRequested](b)
	if len(questions) != 2 || !strings.HasSuffix(questions[1].Approval.Always, ", in there") {
		t.Errorf("asked %+v", questions)
	}
}
