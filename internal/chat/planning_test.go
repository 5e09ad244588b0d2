package chat

import (
	"strings"
	"testing"

	"agent/internal/gate"
	"agent/internal/history"
	"agent/internal/rules"
	"agent/internal/todo"
	"agent/internal/tools"
)

const planArgs = `{"plan":"# Do it\n\n1. **write** a\n2. test it"}`

// Plan mode ends only if the user approves a presented plan. A rule, a text, or a call in another
// mode never ends it (resolved.md, "leaving plan").
func TestLeavingPlan(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		mode       gate.Mode
		unattended bool
		review     bool
		decision   Decision
		asked      bool
		then       gate.Mode
		stop       Stop
		says       string
	}{
		"yes, and edit": {mode: gate.ModePlan, decision: Decision{Allow: true, Always: true}, asked: true, then: gate.ModeAutoEdit, stop: StopDone, says: "The approval mode is auto-edit now"},
		"words":         {mode: gate.ModePlan, decision: Decision{Reason: "yes, but in Go"}, asked: true, then: gate.ModePlan, stop: StopDone, says: "Their answer: yes, but in Go"},
		"no":            {mode: gate.ModePlan, decision: Decision{}, asked: true, then: gate.ModePlan, stop: StopDenied, says: "did not approve"},
		"headless":      {mode: gate.ModePlan, unattended: true, then: gate.ModePlan, stop: StopDone, says: "the answer of this run"},
		"in ask":        {mode: gate.ModeAsk, then: gate.ModeAsk, stop: StopDone, says: "the approval mode is ask, not plan"},
		"in a review":   {mode: gate.ModeFullAuto, review: true, then: gate.ModeFullAuto, stop: StopDone, says: "no plan is needed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, calls("present_plan", planArgs), say("ok"))
			b.config.Tools = tools.NewRegistry(defaultTools()...)
			b.renew()
			rule, err := b.config.Tools.ParseRule("present_plan(*)")
			if err != nil {
				t.Fatal(err)
			}
			b.config.Policy.Allow, b.config.Policy.AllowOutside = rules.Rules{rule}, rules.Rules{rule}
			b.config.Env.Todos = todo.NewBoard(nil, nil)
			b.renew()
			b.set("approval-mode", string(tc.mode))
			b.config.Policy.Unattended = tc.unattended
			b.Chat = New(b.config)
			if tc.review {
				b.modes.consent.BeginReview()
			}
			b.answering(tc.decision)
			out, err := b.prompt("go")
			if err != nil || out.Stop != tc.stop || b.Consent().Mode() != tc.then {
				t.Fatalf("%+v %v, mode %s", out, err, b.Consent().Mode())
			}
			if asked := len(seen[ApprovalRequested](b)) > 0; asked != tc.asked {
				t.Errorf("asked: %v", asked)
			}
			if r := b.responses()[0]; !strings.Contains(r.Result.Text()+r.Error, tc.says) {
				t.Errorf("the model reads %q %q", r.Result.Text(), r.Error)
			}
			if todos := b.config.Env.Todos.List(); tc.decision.Allow != (len(todos) == 2 && todos[0].Content == "write a") {
				t.Errorf("the todo list is %+v", todos)
			}
			if planned := tc.unattended && tc.mode == gate.ModePlan && !tc.review; planned != strings.HasPrefix(out.Response, "# Do it") {
				t.Errorf("the answer is %q", out.Response)
			}
		})
	}
}

// If the user changes to a mode that allows more while the plan is shown, that mode stays.
func TestTheUsersModeStays(t *testing.T) {
	t.Parallel()
	b := newBench(t, calls("present_plan", planArgs), say("ok"))
	b.config.Tools = tools.NewRegistry(defaultTools()...)
	b.renew()
	b.set("approval-mode", "plan")
	b.Chat = New(b.config)
	b.on = func(e Event) {
		if asked, ok := e.(ApprovalRequested); ok {
			b.set("approval-mode", "full-auto")
			b.Answer(asked.Approval.ID, Decision{Allow: true})
		}
	}
	if _, err := b.prompt("go"); err != nil || b.Consent().Mode() != gate.ModeFullAuto {
		t.Errorf("%v, mode %s", err, b.Consent().Mode())
	}
}

// A note tells the model that it is in plan mode, and a second note tells it once that plan mode
// has ended. The notes are separate from the user's text.
func TestThePlanModeIsReportedToTheModel(t *testing.T) {
	t.Parallel()
	b := newBench(t, say("1"), say("2"), say("3"), say("4"))
	var told []string
	for _, mode := range []string{"ask", "plan", "plan", "auto-edit"} {
		b.set("approval-mode", mode)
		if _, err := b.prompt("go"); err != nil {
			t.Fatal(err)
		}
		entries := b.config.History.RawHistory()
		text, _ := entries[len(entries)-2].KeyedText(history.KeyApprovalMode)
		told = append(told, text)
		if said := entries[len(entries)-2].OwnText(); said != "go" {
			t.Errorf("the person said %q", said)
		}
	}
	if told[0] != "" || !strings.Contains(told[1], "call present_plan") || told[2] != "" || told[3] != "[The approval mode is auto-edit now.]" {
		t.Errorf("it reads %q", told)
	}
}

// A non-interactive run in a read-only mode continues after refused calls, but not without limit.
func TestRefusedCallsEndNoRun(t *testing.T) {
	t.Parallel()
	for _, mode := range []gate.Mode{gate.ModeReadOnly, gate.ModePlan} {
		b := newBench(t, calls("write_file", `{"file_path":"a","content":"x"}`), say("then so"))
		b.config.Policy.Unattended = true
		b.renew()
		b.set("approval-mode", string(mode))
		if out, err := b.prompt("go"); err != nil || out.Stop != StopDone || out.Response != "then so" {
			t.Errorf("%s: %+v %v", mode, out, err)
		}
		var endless []answerFunc
		for range 60 {
			endless = append(endless, calls("write_file", `{"file_path":"a","content":"x"}`))
		}
		b = newBench(t, endless...)
		b.config.Policy.Unattended = true
		b.renew()
		b.set("approval-mode", string(mode))
		if out, err := b.prompt("go"); err == nil || out.Requests > 20 {
			t.Errorf("%s: %d requests, %v", mode, out.Requests, err)
		}
	}
}

// A repeated review is as read-only as the first one, and the mode returns to its old value at the
// end.
func TestAReviewIsTriedAgain(t *testing.T) {
	t.Parallel()
	b := newBench(t, calls("write_file", `{"file_path":"a","content":"x"}`), say("found"))
	b.set("approval-mode", "full-auto")
	if err := b.config.History.Add(history.New(history.Human, &history.Text{Text: "/review"}, &history.Text{Text: "do", Source: history.SourceExtension, Key: ReviewKey})); err != nil {
		t.Fatal(err)
	}
	out, err := b.Resend(t.Context())
	if r := b.responses(); err != nil || out.Stop != StopDone || !strings.Contains(r[0].Error, "nothing may change") || b.Consent().Mode() != gate.ModeFullAuto {
		t.Errorf("%+v %v, %q, mode %s", out, err, r[0].Error, b.Consent().Mode())
	}
}
