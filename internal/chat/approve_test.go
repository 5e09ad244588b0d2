package chat

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"agent/internal/cmdline"
	"agent/internal/gate"
	"agent/internal/tools"
)

// answering answers every approval.
func (b *bench) answering(d Decision) {
	b.on = func(e Event) {
		if asked, ok := e.(ApprovalRequested); ok {
			b.Answer(asked.Approval.ID, d)
		}
	}
}

// TestWhatIsApprovedIsApplied: a call is planned once, and the plan that was shown
// is the one that is carried out.
func TestWhatIsApprovedIsApplied(t *testing.T) {
	t.Parallel()
	b := newBench(t, calls("edits", `{}`), say("ok"))
	planned := 0
	b.Tools = tools.NewRegistry(tools.Tool{Name: "edits", Traits: tools.Traits{Edits: true}, Plan: func(context.Context, *tools.Env, json.RawMessage) (tools.Plan, error) {
		planned++
		title := fmt.Sprint("plan ", planned)
		return tools.Plan{Preview: tools.Preview{Title: title}, Apply: func(context.Context) tools.Answer { return tools.Answer{Text: title} }}, nil
	}})
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

// guarded are tools of every kind. A command previews as the shell tool does: taken
// apart where that can be done, and looking only when it is "ls".
func guarded() *tools.Registry {
	type arguments struct {
		Path    string   `json:"file_path"`
		Paths   []string `json:"paths"`
		Command string   `json:"command"`
	}
	plan := func(_ context.Context, _ *tools.Env, args json.RawMessage) (tools.Plan, error) {
		var a arguments
		if err := json.Unmarshal(args, &a); err != nil {
			return tools.Plan{}, err
		}
		p := tools.Preview{Title: "guarded", Paths: a.Paths, Command: a.Command, ReadOnly: a.Command == "ls"}
		if a.Path != "" {
			p.Paths = []string{a.Path}
		}
		if line, err := cmdline.Parse(a.Command); a.Command != "" && err == nil {
			p.Commands = line.Commands
		}
		return tools.Plan{Preview: p, Apply: func(context.Context) tools.Answer { return tools.Answer{Text: "ran"} }}, nil
	}
	tool := func(name string, does tools.Traits) tools.Tool {
		return tools.Tool{
			Name: name, Traits: does, Plan: plan,
		}
	}
	return tools.NewRegistry(tool("look", tools.Traits{Reads: true, Beside: true, Key: "file_path"}), tool("edit", tools.Traits{Edits: true, Key: "file_path"}), tool("shell", tools.Traits{Runs: true, Key: "file_path"}), tool("fetch", tools.Traits{Reaches: true, Key: "file_path"}))
}

const (
	lookA   = `look {"file_path":"a.go"}`
	editA   = `edit {"file_path":"a.go"}`
	editB   = `edit {"file_path":"sub/b.go"}`
	editMD  = `edit {"file_path":"c.md"}`
	editNo  = `edit {"file_path":"Makefile"}`
	editNo2 = `edit {"file_path":"sub/LICENSE"}`
	editAll = `edit {"paths":["a.go","b.go"]}`
	editNil = `edit {}`
	list    = `shell {"command":"ls"}`
	test    = `shell {"command":"go test ./..."}`
	build   = `shell {"command":"go build ./..."}`
	testRm  = `shell {"command":"go test ./... && rm -r x"}`
	odd     = `shell {"command":"$(echo rm) x"}`
	shellA  = `shell {"file_path":"a.go"}`
	fetch   = `fetch {"file_path":"http://h"}`
)

// outcome runs one call and says what became of it: "ran", "asked" or "refused".
func (b *bench) outcome(call string) string {
	b.t.Helper()
	name, args, _ := strings.Cut(call, " ")
	b.model.next = func(int) answerFunc {
		b.model.next = func(int) answerFunc { return say("ok") }
		return calls(name, args)
	}
	asked := len(seen[ApprovalRequested](b))
	if _, err := b.prompt("go"); err != nil {
		b.t.Fatal(err)
	}
	answers := b.responses()
	switch last := answers[len(answers)-1]; {
	case len(seen[ApprovalRequested](b)) > asked:
		return "asked"
	case last.Error == "":
		return "ran"
	default:
		return "refused"
	}
}

// TestWhoMayRun is the whole table: mode by kind of call, with a person there and
// without.
func TestWhoMayRun(t *testing.T) {
	t.Parallel()
	rows := map[gate.Mode]map[string]string{
		gate.ModeReadOnly: {lookA: "ran", list: "ran", editA: "refused", test: "refused", fetch: "refused"},
		gate.ModePlan:     {lookA: "ran", list: "ran", editA: "refused", test: "refused", fetch: "refused"},
		gate.ModeAsk:      {lookA: "ran", list: "ran", editA: "asked", test: "asked", fetch: "asked"},
		gate.ModeAutoEdit: {lookA: "ran", list: "ran", editA: "ran", test: "asked", fetch: "asked"},
		gate.ModeFullAuto: {lookA: "ran", list: "ran", editA: "ran", test: "ran", fetch: "ran"},
	}
	for mode, row := range rows {
		for call, want := range row {
			for _, unattended := range []bool{false, true} {
				b := newBench(t)
				b.Tools = guarded()
				b.Unattended = unattended
				b.set("approval-mode", string(mode))
				b.answering(Decision{})
				if unattended && want == "asked" {
					want = "refused"
				}
				if got := b.outcome(call); got != want {
					t.Errorf("%s, unattended %v: %s %s, want %s", mode, unattended, call, got, want)
				}
				ends := seen[TurnEnded](b)
				if stop := ends[0].Outcome.Stop; (stop == StopDenied) != (want == "asked" || unattended && want == "refused" && !mode.OnlyLooks()) {
					t.Errorf("%s, unattended %v: %s ended the turn with %s", mode, unattended, call, stop)
				}
			}
		}
	}
}

// TestRulesOfTheCommandLine: what --allow names runs in every mode but read-only and plan,
// also when nobody is there.
func TestRulesOfTheCommandLine(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		mode gate.Mode
		call string
		want string
	}{
		{gate.ModeAsk, test, "ran"},
		{gate.ModeAsk, editMD, "ran"},
		{gate.ModeAsk, build, "refused"},
		{gate.ModeAsk, testRm, "refused"},
		{gate.ModeAsk, odd, "refused"},
		{gate.ModeAsk, editA, "refused"},
		{gate.ModeAsk, fetch, "ran"},
		{gate.ModeReadOnly, test, "refused"},
		{gate.ModeReadOnly, editMD, "refused"},
		{gate.ModeReadOnly, fetch, "refused"},
		{gate.ModePlan, test, "refused"},
		{gate.ModePlan, editMD, "refused"},
	} {
		b := newBench(t)
		b.Tools = guarded()
		b.Unattended = true
		b.set("approval-mode", string(tc.mode))
		for _, text := range []string{"shell(go test *)", "edit(*.md)", "fetch(*)"} {
			rule, err := b.Tools.ParseRule(text)
			if err != nil {
				t.Fatal(err)
			}
			b.Allow = append(b.Allow, rule)
		}
		if got := b.outcome(tc.call); got != tc.want {
			t.Errorf("%s: %s %s, want %s", tc.mode, tc.call, got, tc.want)
		}
	}
}

// TestAlways: what a person allows for good runs from then on, and nothing else.
func TestAlways(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, allowed, offer string
		runs, asks           []string
	}{
		{"a file kind", editA, "edits of *.go files", []string{editA, editB}, []string{editMD, editNo, editNil, test, shellA, fetch}},
		{"a file without an extension", editNo, "edits of Makefile", []string{editNo}, []string{editNo2, editA, editNil}},
		{"several files", editAll, "", nil, []string{editAll, editA}},
		{"a command", test, "any `go test …`", []string{test}, []string{build, testRm, odd, editA}},
		{"a command that cannot be told apart", odd, "", nil, []string{odd, test}},
		{"a download", fetch, "", nil, []string{fetch}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.Tools = guarded()
			b.set("approval-mode", "ask")
			b.answering(Decision{Allow: true, Always: true})
			if got := b.outcome(tc.allowed); got != "asked" {
				t.Fatalf("at first it %s", got)
			}
			if got := seen[ApprovalRequested](b)[0].Approval.Always; got != tc.offer {
				t.Errorf("offered %q, want %q", got, tc.offer)
			}
			b.answering(Decision{Allow: true})
			for _, call := range tc.runs {
				if got := b.outcome(call); got != "ran" {
					t.Errorf("%s: %s", call, got)
				}
			}
			for _, call := range tc.asks {
				if got := b.outcome(call); got != "asked" {
					t.Errorf("%s: %s", call, got)
				}
			}
			b.set("approval-mode", "read-only")
			for _, call := range tc.runs {
				if got := b.outcome(call); got != "refused" {
					t.Errorf("in read-only mode %s: %s", call, got)
				}
			}
		})
	}
}

// TestAllowedOnce holds for one call.
func TestAllowedOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.Tools = guarded()
	b.set("approval-mode", "ask")
	b.answering(Decision{Allow: true})
	for range 2 {
		if got := b.outcome(editA); got != "asked" {
			t.Errorf("%s", got)
		}
		if r := b.responses(); r[len(r)-1].Error != "" {
			t.Errorf("it was refused: %s", r[len(r)-1].Error)
		}
	}
}

// TestAnswersToOtherQuestions are ignored: a late answer must not allow what it was
// not about.
func TestAnswersToOtherQuestions(t *testing.T) {
	t.Parallel()
	b := newBench(t, calls("write_file", `{"file_path":"a.go"}`, "write_file", `{"file_path":"b.md"}`), say("ok"))
	b.set("approval-mode", "ask")
	b.Answer(1, Decision{Allow: true}) // before it is asked
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

// TestNobodyIsAskedAfterAnInterrupt: one question is open when the user interrupts,
// the next is not put.
func TestNobodyIsAskedAfterAnInterrupt(t *testing.T) {
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

// TestARefusalCountsBeforeItsInterrupt: Esc at a question refuses and interrupts; what
// was refused is never told as left unanswered.
func TestARefusalCountsBeforeItsInterrupt(t *testing.T) {
	t.Parallel()
	for range 50 { // which of two events that are both there is taken is chance
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

// TestSandboxDecidesCommands: in auto-edit a confined command runs unasked, and one
// that leaves the sandbox is asked about whatever allows it inside.
func TestSandboxDecidesCommands(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name    string
		mode    gate.Mode
		preview tools.Preview
		asked   bool
		edits   bool
	}{
		{"confined", gate.ModeAutoEdit, tools.Preview{Confined: true}, false, false},
		{"confined, unwatched", gate.ModeAutoEdit, tools.Preview{Confined: true, Unwatched: "why"}, true, false},
		{"an edit", gate.ModeAutoEdit, tools.Preview{}, false, true},
		{"an edit, unwatched", gate.ModeAutoEdit, tools.Preview{Unwatched: "why"}, true, true},
		{"an edit, unwatched, full-auto", gate.ModeFullAuto, tools.Preview{Unwatched: "why"}, false, true},
		{"confined, asking", gate.ModeAsk, tools.Preview{Confined: true}, true, false},
		{"not confined", gate.ModeAutoEdit, tools.Preview{}, true, false},
		{"outside", gate.ModeAutoEdit, tools.Preview{Outside: "why", Command: "x"}, true, false},
		{"outside, full-auto", gate.ModeFullAuto, tools.Preview{Outside: "why", Command: "x"}, false, false},
		{"read-only", gate.ModeAsk, tools.Preview{ReadOnly: true}, false, false},
	} {
		b := newBench(t, calls("shell", `{"command":"x"}`), calls("shell", `{"command":"x"}`), say("ok"))
		b.Tools = tools.NewRegistry(tools.Tool{
			Name: "shell", Traits: tools.Traits{Runs: !tc.edits, Edits: tc.edits, Key: "command"},
			Plan: func(context.Context, *tools.Env, json.RawMessage) (tools.Plan, error) {
				return tools.Plan{Preview: tc.preview, Apply: func(context.Context) tools.Answer { return tools.Answer{Text: "ran"} }}, nil
			},
		})
		b.set("approval-mode", string(tc.mode))
		b.answering(Decision{Allow: true, Always: true})
		if out, err := b.prompt("go"); err != nil || out.Stop != StopDone {
			t.Fatalf("%s: %+v %v", tc.name, out, err)
		}
		questions := seen[ApprovalRequested](b)
		if (len(questions) > 0) != tc.asked {
			t.Errorf("%s: asked %d times", tc.name, len(questions))
		}
		if tc.preview.Outside != "" && tc.asked && (len(questions) != 1 || !strings.Contains(questions[0].Approval.Always, "outside the sandbox")) {
			t.Errorf("%s: always is about %+v", tc.name, questions)
		}
	}
}

// TestEveryCallThatWillAskIsSaid: a question says which calls of the same reply will be
// asked about next: not those that look, are allowed, or cannot be planned.
func TestEveryCallThatWillAskIsSaid(t *testing.T) {
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
			b.Tools = guarded()
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

// TestDeletingIsAskedEachTime: "always" is not offered for a line that deletes.
func TestDeletingIsAskedEachTime(t *testing.T) {
	t.Parallel()
	for command, offered := range map[string]bool{
		"go test ./...": true, "rm -rf build": false, "make && sudo rm x": false, "find . -name x -delete": false, "git clean -fd": false,
		"/bin/rm x": false, "touch rm.txt": true, "xargs rm": false,
	} {
		b := newBench(t)
		b.Tools = guarded()
		b.set("approval-mode", "ask")
		b.answering(Decision{})
		arguments, _ := json.Marshal(map[string]string{"command": command})
		b.outcome("shell " + string(arguments))
		if asked := seen[ApprovalRequested](b); len(asked) != 1 || (asked[0].Approval.Always != "") != offered {
			t.Errorf("%s: %+v", command, asked)
		}
	}
}
