package chat

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"agent/internal/base/arguments"
	"agent/internal/gate"
	"agent/internal/tools"
)

// answering answers every approval prompt with d.
func (b *bench) answering(d Decision) {
	b.on = func(e Event) {
		if asked, ok := e.(ApprovalRequested); ok {
			b.Answer(asked.Approval.ID, d)
		}
	}
}

// TestApprovedPlanIsApplied checks that a call is planned once, and that exactly the approved
// plan runs.
func TestApprovedPlanIsApplied(t *testing.T) {
	t.Parallel()
	b := newBench(t, calls("edits", `{}`), say("ok"))
	planned := 0
	b.config.Tools = tools.NewRegistry(tools.Tool{Name: "edits", Traits: tools.Traits{Edits: true}, Plan: func(context.Context, *tools.Env, arguments.Arguments) (tools.Plan, error) {
		planned++
		title := fmt.Sprint("plan ", planned)
		return tools.Plan{Preview: tools.Preview{Title: title}, Apply: func(context.Context) tools.Answer { return tools.Answer{Text: title} }}, nil
	}})
	b.renew()
	b.set("approval-mode", "ask")
	b.answering(Decision{Allow: true})
	if _, err := b.prompt("go"); err != nil {
		t.Fatal(err)
	}
	asked := seen[ApprovalRequested](b)
	if len(asked) != 1 || asked[0].Approval.Preview.Title != "plan 1" || b.responses()[0].Result.Text() != "plan 1" || planned != 1 {
		t.Errorf("asked %+v, planned %d times, applied %q", asked, planned, b.responses()[0].Result.Text())
	}
}

func TestRefusal(t *testing.T) {
	t.Parallel()
	t.Run("with a reason the model goes on", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, calls("write_file", `{"file_path":"a.go"}`), say("other way"))
		b.set("approval-mode", "ask")
		b.answering(Decision{Reason: "use the other file"})
		if out, err := b.prompt("go"); err != nil || out.Response != "other way" {
			t.Fatalf("%+v %v", out, err)
		}
		if got := b.responses()[0].Error; !strings.Contains(got, "use the other file") {
			t.Errorf("the model reads %q", got)
		}
	})
	t.Run("without a reason the turn ends", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, calls("write_file", `{"file_path":"a.go"}`, "write_file", `{"file_path":"b.go"}`))
		b.set("approval-mode", "ask")
		b.answering(Decision{})
		if out, err := b.prompt("go"); err != nil || out.Stop != StopDenied {
			t.Fatalf("%+v %v", out, err)
		}
		if len(b.responses()) != 2 || len(seen[ApprovalRequested](b)) != 1 {
			t.Errorf("%d responses, %d questions", len(b.responses()), len(seen[ApprovalRequested](b)))
		}
	})
}

func TestModeCycle(t *testing.T) {
	t.Parallel()
	mode, visited := gate.ModeAsk, map[gate.Mode]bool{}
	for range gate.Modes() {
		visited[mode] = true
		mode = nextMode(mode)
	}
	if mode != gate.ModeAsk || len(visited) != len(gate.Modes()) {
		t.Errorf("visited %v, back at %s", visited, mode)
	}
}

// toolsOfEachKind returns tools of every kind. The command "ls" is read-only, all others are not.
func toolsOfEachKind() *tools.Registry {
	plan := func(_ context.Context, _ *tools.Env, args arguments.Arguments) (tools.Plan, error) {
		var a struct {
			Path    string `json:"file_path"`
			Command string `json:"command"`
		}
		if err := json.Unmarshal(args.Raw(), &a); err != nil {
			return tools.Plan{}, err
		}
		p := tools.Preview{Title: "guarded", Paths: []string{a.Path}, Command: a.Command, ReadOnly: a.Command == "ls"}
		return tools.Plan{Preview: p, Apply: func(context.Context) tools.Answer { return tools.Answer{Text: "ran"} }}, nil
	}
	tool := func(name string, does tools.Traits) tools.Tool {
		return tools.Tool{Name: name, Traits: does, Plan: plan}
	}
	return tools.NewRegistry(tool("look", tools.Traits{Reads: true, Parallel: true, Key: "file_path"}), tool("edit", tools.Traits{Edits: true, Key: "file_path"}), tool("shell", tools.Traits{Runs: true, Key: "file_path"}), tool("fetch", tools.Traits{Network: true, Key: "file_path"}))
}

const (
	lookA  = `look {"file_path":"a.go"}`
	editA  = `edit {"file_path":"a.go"}`
	editMD = `edit {"file_path":"c.md"}`
	list   = `shell {"command":"ls"}`
	test   = `shell {"command":"go test ./..."}`
	fetch  = `fetch {"file_path":"http://h"}`
)

// TestApprovalModes checks the effect of each approval mode on a call and on its turn.
func TestApprovalModes(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		mode       gate.Mode
		unattended bool
		ran, asked bool
		stop       Stop
	}{
		{gate.ModeReadOnly, false, false, false, StopDone},
		{gate.ModeReadOnly, true, false, false, StopDone},
		{gate.ModeAsk, false, false, true, StopDenied},
		{gate.ModeAsk, true, false, false, StopDenied},
		{gate.ModeAutoEdit, false, true, false, StopDone},
		{gate.ModeAutoEdit, true, true, false, StopDone},
	} {
		b := newBench(t, calls("edit", `{"file_path":"a.go"}`), say("ok"))
		b.config.Tools = toolsOfEachKind()
		b.config.Policy.Unattended = tc.unattended
		b.renew()
		b.set("approval-mode", string(tc.mode))
		b.answering(Decision{})
		out, err := b.prompt("go")
		ran, asked := b.responses()[0].Error == "", len(seen[ApprovalRequested](b)) > 0
		if err != nil || out.Stop != tc.stop || ran != tc.ran || asked != tc.asked {
			t.Errorf("%s, unattended %t: %+v %v, ran %t, asked %t", tc.mode, tc.unattended, out, err, ran, asked)
		}
	}
}

// TestAnswersToOtherQuestions checks that a late answer is ignored. It must not allow a call that
// its prompt did not show.
func TestAnswersToOtherQuestions(t *testing.T) {
	t.Parallel()
	b := newBench(t, calls("write_file", `{"file_path":"a.go"}`, "write_file", `{"file_path":"b.md"}`), say("ok"))
	b.set("approval-mode", "ask")
	b.Answer(1, Decision{Allow: true}) // before the prompt opens
	b.on = func(e Event) {
		if asked, ok := e.(ApprovalRequested); ok {
			b.Answer(asked.Approval.ID-1, Decision{Allow: true})
			b.Answer(asked.Approval.ID+1, Decision{Allow: true})
			b.Answer(asked.Approval.ID, Decision{Reason: "no"})
			b.Answer(asked.Approval.ID, Decision{Allow: true})
		}
	}
	if _, err := b.prompt("go"); err != nil {
		t.Fatal(err)
	}
	for _, r := range b.responses() {
		if !strings.Contains(r.Error, "refused this call: no") {
			t.Errorf("answered %q", r.Error)
		}
	}
	var asked, settled []int
	for _, e := range b.events {
		switch e := e.(type) {
		case ApprovalRequested:
			asked = append(asked, e.Approval.ID)
		case ApprovalSettled:
			settled = append(settled, e.ID)
		}
	}
	if !slices.Equal(asked, []int{1, 2}) || !slices.Equal(settled, asked) {
		t.Errorf("asked %v, settled %v", asked, settled)
	}
}

// TestNoPromptAfterAnInterrupt checks that an interrupt at an open prompt prevents the next
// prompt.
func TestNoPromptAfterAnInterrupt(t *testing.T) {
	t.Parallel()
	b := newBench(t, calls("write_file", `{"file_path":"a"}`, "write_file", `{"file_path":"b"}`))
	b.set("approval-mode", "ask")
	b.on = func(e Event) {
		if _, ok := e.(ApprovalRequested); ok {
			b.Interrupt()
		}
	}
	if out, err := b.prompt("go"); err != nil || out.Stop != StopInterrupted {
		t.Fatalf("%+v %v", out, err)
	}
	r := b.responses()
	if len(seen[ApprovalRequested](b)) != 1 || len(seen[ApprovalSettled](b)) != 1 || len(r) != 2 || !strings.Contains(r[0].Error, "interrupted instead") || !strings.Contains(r[1].Error, "not run") {
		t.Errorf("asked %d times, answers %+v", len(seen[ApprovalRequested](b)), r)
	}
}

// TestARefusalCountsBeforeItsInterrupt checks that Esc at a prompt refuses the call and interrupts
// the turn. The refused call is never reported as unanswered.
func TestARefusalCountsBeforeItsInterrupt(t *testing.T) {
	t.Parallel()
	for range 50 { // select is random if both events are ready
		b := newBench(t, calls("write_file", `{"file_path":"a"}`))
		b.set("approval-mode", "ask")
		b.on = func(e Event) {
			if asked, ok := e.(ApprovalRequested); ok {
				b.Answer(asked.Approval.ID, Decision{})
				b.Interrupt()
			}
		}
		if out, err := b.prompt("go"); err != nil || out.Stop != StopDenied {
			t.Fatalf("%+v %v", out, err)
		}
		if r := b.responses(); len(r) != 1 || !strings.Contains(r[0].Error, "refused") {
			t.Fatalf("answers %+v", r)
		}
	}
}

// TestPromptListsLaterPrompts checks that a prompt lists the later calls of the reply that will
// also need approval. It omits calls that are read-only, already allowed, or impossible to plan.
func TestPromptListsLaterPrompts(t *testing.T) {
	t.Parallel()
	split := func(calls ...string) (out []string) {
		for _, call := range calls {
			name, args, _ := strings.Cut(call, " ")
			out = append(out, name, args)
		}
		return out
	}
	for name, tc := range map[string]struct {
		mode string
		want []int
	}{
		"asks for all":            {"ask", []int{3, 2, 1, 0}},
		"edits run by themselves": {"auto-edit", []int{1, 0}},
		"nothing is asked":        {"full-auto", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, calls(split(editA, lookA, list, test, editMD, fetch, `edit [1]`)...), say("ok"))
			b.config.Tools = toolsOfEachKind()
			b.renew()
			b.set("approval-mode", tc.mode)
			b.answering(Decision{Allow: true})
			if _, err := b.prompt("go"); err != nil {
				t.Fatal(err)
			}
			var got []int
			for _, e := range seen[ApprovalRequested](b) {
				got = append(got, len(e.Approval.After))
			}
			if !slices.Equal(got, tc.want) {
				t.Errorf("asked next %v, want %v", got, tc.want)
			}
		})
	}
}
