package gate

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"agent/internal/cmdline"
	"agent/internal/protect"
	"agent/internal/rules"
	"agent/internal/settings"
	"agent/internal/tools"
	"agent/internal/toolspec"
)

// does maps the names of the test's tools to their traits.
var does = map[string]toolspec.Traits{
	"look": {Reads: true}, "edit": {Edits: true}, "shell": {Runs: true}, "fetch": {Network: true}, "search": {Network: true, Searches: true},
}

// consentIn returns the Consent of a conversation in the given mode.
func consentIn(t *testing.T, mode Mode, policy Policy) *Consent {
	t.Helper()
	s := settings.New(settings.NewRegistry(settings.All(), settings.Choices{settings.ApprovalMode.Key(): ModeNames()}))
	if err := s.Set(settings.LayerSession, settings.ApprovalMode.Key(), string(mode)); err != nil {
		t.Fatal(err)
	}
	return NewConsent(&policy, s)
}

// parseRules parses rules about the tools above.
func parseRules(t *testing.T, texts ...string) (all rules.Rules) {
	t.Helper()
	var kinds []tools.Tool
	for name, does := range does {
		kinds = append(kinds, tools.Tool{Name: name, Traits: does})
	}
	registry := tools.NewRegistry(kinds...)
	for _, text := range texts {
		rule, err := registry.ParseRule(text)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, rule)
	}
	return all
}

func edit(paths ...string) Call {
	return Call{Name: "edit", Traits: does["edit"], Preview: tools.Preview{Paths: paths}}
}

// command returns a call of the shell with a parsed command line. Only "ls" is read-only.
func command(line string) Call {
	preview := tools.Preview{Command: line, ReadOnly: line == "ls"}
	if parsed, err := cmdline.Read(line).PlainCommands(); err == nil {
		preview.Commands = parsed.Commands
	}
	return Call{Name: "shell", Traits: does["shell"], Said: toolspec.Label{Name: "shell", Subject: line}, Preview: preview}
}

// with returns a copy of the call with a changed preview.
func (k Call) with(change func(*tools.Preview)) Call {
	change(&k.Preview)
	return k
}

var (
	looks   = Call{Name: "look", Traits: does["look"]}
	fetches = Call{Name: "fetch", Traits: does["fetch"], Preview: tools.Preview{Paths: []string{"a.go"}}}
	outside = command("./build").with(func(p *tools.Preview) { p.Outside = "why" })
)

// search returns a call of a web search. It is restricted to hosts if hosts are given.
func search(service string, hosts ...string) Call {
	return Call{Name: "search", Traits: does["search"], Preview: tools.Preview{Service: service, Hosts: hosts}}
}

// verdict runs a call through the gates of consent and returns the first verdict.
func (c *Consent) verdict(t *testing.T, k Call) Verdict {
	t.Helper()
	for _, gate := range c.Gates() {
		if v := gate.Ask(t.Context(), k); v.Refusal != "" || v.Ask != nil || v.End != nil {
			return v
		}
	}
	return Verdict{}
}

// outcome returns the result of a call: "ran", "asked", "refused", or "ended" if the refusal ends
// the turn.
func (c *Consent) outcome(t *testing.T, k Call) string {
	t.Helper()
	switch v := c.verdict(t, k); {
	case v.Ask != nil:
		return "asked"
	case v.End != nil:
		return "ended"
	case v.Refusal != "":
		return "refused"
	}
	return "ran"
}

// TestWhoMayRun checks each mode with each kind of call, with and without a user.
func TestWhoMayRun(t *testing.T) {
	t.Parallel()
	calls := []Call{looks, command("ls"), edit("a.go"), command("go test ./..."), fetches}
	for mode, want := range map[Mode]string{
		ModeReadOnly: "ran ran refused refused asked",
		ModePlan:     "ran ran refused refused asked",
		ModeAsk:      "ran ran asked asked asked",
		ModeAutoEdit: "ran ran ran asked asked",
		ModeFullAuto: "ran ran ran ran ran",
	} {
		for _, unattended := range []bool{false, true} {
			c := consentIn(t, mode, Policy{Unattended: unattended})
			if unattended && mode.IsReadOnly() {
				want = strings.ReplaceAll(want, "asked", "refused")
			}
			if unattended {
				want = strings.ReplaceAll(want, "asked", "ended")
			}
			var got []string
			for _, k := range calls {
				got = append(got, c.outcome(t, k))
			}
			if strings.Join(got, " ") != want {
				t.Errorf("%s, unattended %t: %q, want %s", mode, unattended, got, want)
			}
		}
	}
}

// TestPreviewsDecide checks that the preview of a call counts, in addition to its kind and the mode.
func TestPreviewsDecide(t *testing.T) {
	t.Parallel()
	confined := func(p *tools.Preview) { p.Confined = true }
	readOnly := func(p *tools.Preview) { p.ReadOnly = true }
	served := fetches.with(func(p *tools.Preview) { p.Served = &tools.ServerCall{Server: "s", Tool: "t"} })
	unwatched := func(p *tools.Preview) { p.Unwatched = "why" }
	asks := func(p *tools.Preview) { p.Inquiries = []tools.Inquiry{{Question: "?"}} }
	envFile := func(p *tools.Preview) {
		p.Protected = []protect.File{{Path: "sub/.env", Name: ".env", Protection: protect.NeedsApproval, Keys: true}}
	}
	keys := func(care protect.Protection) func(p *tools.Preview) {
		return func(p *tools.Preview) {
			p.Protected = []protect.File{{Path: "sub/.env", Name: ".env", Why: "keys", Protection: care}}
		}
	}
	for _, tt := range []struct {
		name string
		mode Mode
		call Call
		want string
	}{
		{"confined", ModeAutoEdit, command("x").with(confined), "ran"},
		{"confined, unwatched", ModeAutoEdit, command("x").with(confined).with(unwatched), "asked"},
		{"an edit, unwatched", ModeAutoEdit, edit("a").with(unwatched), "asked"},
		{"an edit, unwatched, full-auto", ModeFullAuto, edit("a").with(unwatched), "ran"},
		{"confined, asking", ModeAsk, command("x").with(confined), "asked"},
		{"a server's tool that only reads, as it says", ModeAsk, served.with(readOnly), "ran"},
		{"the same, plan", ModePlan, served.with(readOnly), "refused"},
		{"the same, read-only", ModeReadOnly, served.with(readOnly), "refused"},
		{"outside", ModeAutoEdit, outside.with(confined), "asked"},
		{"outside, full-auto", ModeFullAuto, outside, "ran"},
		{"no files", ModeAsk, edit(), "asked"},
		{"a question", ModeFullAuto, looks.with(asks), "asked"},
		{"protected", ModeAutoEdit, edit("sub/.env").with(keys(protect.NeedsApproval)), "asked"},
		{"protected, full-auto", ModeFullAuto, edit("sub/.env").with(keys(protect.NeedsApproval)), "ran"},
		{"always asked, full-auto", ModeFullAuto, edit("sub/.env").with(keys(protect.AlwaysNeedsApproval)), "asked"},
		{"D-121 keys that are read, full-auto", ModeFullAuto, looks.with(envFile), "asked"},
		{"D-121 keys that a command names, full-auto", ModeFullAuto, command("cat sub/.env").with(envFile), "asked"},
		{"keys that are edited, full-auto", ModeFullAuto, edit("sub/.env").with(envFile), "ran"},
		{"a protected file that is read", ModeAutoEdit, looks.with(keys(protect.NeedsApproval)), "asked"},
		{"a protected file that is read, read-only", ModeReadOnly, looks.with(keys(protect.NeedsApproval)), "asked"},
	} {
		if got := consentIn(t, tt.mode, Policy{}).outcome(t, tt.call); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

// TestRulesAllow checks that a call that matches a rule runs in every mode but read-only and plan,
// also in non-interactive runs. Other calls still require approval. A protected file is only
// allowed by a rule with its name (D-60).
func TestRulesAllow(t *testing.T) {
	t.Parallel()
	env := func(p *tools.Preview) {
		p.Protected = []protect.File{{Path: "sub/.env", Name: ".env", Why: "keys", Protection: protect.AlwaysNeedsApproval}}
	}
	for _, tt := range []struct {
		mode          Mode
		call          Call
		allow, leaves string
		want          string
	}{
		{ModeAsk, command("go test ./..."), "shell(go test *)", "", "ran"},
		{ModeAsk, command("go build"), "shell(go test *)", "", "ended"},
		{ModeAsk, command("go test ./... && rm -r x"), "shell(go test *)", "", "ended"},
		{ModeAsk, command("$(echo rm) x"), "shell(go test *)", "", "ended"},
		{ModeAsk, edit("c.md"), "edit(*.md)", "", "ran"},
		{ModeAsk, edit("c.md", "a.go"), "edit(*.md)", "", "ended"},
		{ModeAsk, fetches, "fetch(*)", "", "ran"},
		{ModeReadOnly, command("go test"), "shell(go test *)", "", "refused"},
		{ModePlan, edit("c.md"), "edit(*)", "", "refused"},
		{ModeReadOnly, fetches, "fetch(*)", "", "refused"},
		{ModeAsk, outside, "shell(./build)", "", "ended"},
		{ModeAsk, outside, "", "shell(./build)", "ran"},
		{ModeAsk, command("./build"), "", "shell(./build)", "ended"},
		{ModeAsk, edit("sub/.env").with(env), "edit(*)", "", "ended"},
		{ModeAsk, edit("sub/.env").with(env), "edit(sub/.env)", "", "ran"},
		{ModeAsk, edit("sub/.env").with(env), "shell(cat .env)", "", "ended"},
		{ModeAsk, command("cat sub/.env").with(env), "shell(cat *)", "", "ended"},
		{ModeAsk, command("cat sub/.env").with(env), "shell(cat sub/.env)", "", "ran"},
		{ModeFullAuto, command("cat sub/.env | sh").with(env), "shell(cat sub/.env)", "", "ended"},
		{ModeFullAuto, looks.with(env), "", "", "ended"},
		{ModePlan, looks.with(env), "", "", "refused"},
		{ModeReadOnly, looks.with(env), "", "", "refused"},
		{ModeReadOnly, looks.with(env), "look(sub/.env)", "", "ran"},
	} {
		policy := Policy{Unattended: true}
		if tt.allow != "" {
			policy.Allow = parseRules(t, tt.allow)
		}
		if tt.leaves != "" {
			policy.AllowOutside = parseRules(t, tt.leaves)
		}
		if got := consentIn(t, tt.mode, policy).outcome(t, tt.call); got != tt.want {
			t.Errorf("%s with %s%s: %q %q %s, want %s", tt.mode, tt.allow, tt.leaves, tt.call.Preview.Command, tt.call.Preview.Paths, got, tt.want)
		}
	}
}

// TestAlways checks that "always" allows the approved kind of call for the rest of the session, and
// no other call. "Once" allows one call, and "no" allows none.
func TestAlways(t *testing.T) {
	t.Parallel()
	there := outside.with(func(p *tools.Preview) { p.Directory = "there" })
	nameless := outside.with(func(p *tools.Preview) { p.Command = "" })
	for _, tt := range []struct {
		name        string
		allowed     Call
		offer, says string
		runs, asks  []Call
	}{
		{"a file kind", edit("a.go"), "edits of *.go files", "", []Call{edit("a.go"), edit("sub/b.go", "c.go")}, []Call{edit("c.md"), edit("a.go", "c.md"), edit("Makefile"), edit(), command("x"), fetches}},
		{"a file without an ending", edit("Makefile"), "edits of Makefile", "", []Call{edit("Makefile")}, []Call{edit("sub/LICENSE"), edit("sub/Makefile"), edit("a.go")}},
		{"a file whose name is an ending", edit(".rc"), "edits of .rc", "", []Call{edit(".rc")}, []Call{edit("a.rc")}},
		{"a file with a name that is a pattern", edit("*"), "edits of *", "", []Call{edit("*")}, []Call{edit("Makefile")}},
		{"several files", edit("a.go", "b.go"), "", "", nil, []Call{edit("a.go", "b.go"), edit("a.go")}},
		{"a command", command("go test ./..."), "any `go test …`", "", []Call{command("go test")}, []Call{command("go build"), command("go test; rm x"), command("$(rm x)"), edit("a.go")}},
		{"two commands", command("go test && go vet x"), "any `go test …`, any `go vet …`", "", []Call{command("go vet"), command("go test")}, []Call{command("go fmt")}},
		{"a command that cannot be told apart", command("$(echo rm) x"), "", "", nil, []Call{command("$(echo rm) x"), command("go test")}},
		{"a command that deletes", command("go test && rm x"), "", "", nil, []Call{command("go test && rm x"), command("rm x")}},
		{"a search", search("brave"), "searches of brave", "", []Call{search("brave"), search("brave", "a.example")}, []Call{search("exa"), fetches}},
		{"a download", fetches, "", "", nil, []Call{fetches, edit("a.go")}},
		{"outside", outside, "outside the sandbox, only this command: ./build", "", []Call{outside}, []Call{there, command("./build"), nameless}},
		{"outside, in a folder", there, "outside the sandbox, only this command: ./build, in there", "", []Call{there}, []Call{outside}},
		{"a kind of file does not leave the sandbox", edit("a.go"), "edits of *.go files", "", nil, []Call{nameless}},
		{"a protected file", edit(".env").with(func(p *tools.Preview) { p.Protected = []protect.File{{Path: ".env", Name: ".env"}} }), "", "", nil, []Call{edit(".env")}},
	} {
		c := consentIn(t, ModeAsk, Policy{})
		for _, d := range []Decision{{Allow: true}, {Always: true}, {Allow: true, Always: true}} {
			v := c.verdict(t, tt.allowed)
			if v.Ask == nil || v.Ask.Approval.Always != tt.offer || v.Ask.Approval.Tool != tt.allowed.Name || !v.Ask.IsForCall() || v.Ask.Obsolete() {
				t.Fatalf("%s, before %+v: %+v", tt.name, d, v)
			}
			if end := v.Ask.Then(d).End; (end == nil) != d.Allow {
				t.Errorf("%s: %+v ends the turn with %v", tt.name, d, end)
			}
			if moot := v.Ask.Obsolete(); moot != (d.Allow && d.Always && tt.offer != "") {
				t.Errorf("%s: the question is moot after %+v: %t", tt.name, d, moot)
			}
		}
		for _, k := range tt.runs {
			if got := c.outcome(t, k); got != "ran" {
				t.Errorf("%s: %q %q %s", tt.name, k.Preview.Command, k.Preview.Paths, got)
			}
		}
		for _, k := range tt.asks {
			if got := c.outcome(t, k); got != "asked" {
				t.Errorf("%s: %q %q %s", tt.name, k.Preview.Command, k.Preview.Paths, got)
			}
		}
		c.BeginReview()
		for _, k := range tt.runs {
			want := "refused"
			if k.Traits.Searches {
				want = "ran" // a read-only command
			}
			if got := c.outcome(t, k); got != want {
				t.Errorf("%s, in a review: %q %q %s", tt.name, k.Preview.Command, k.Preview.Paths, got)
			}
		}
	}
}

// TestForget revokes one permission, or all of them.
func TestForget(t *testing.T) {
	t.Parallel()
	c := consentIn(t, ModeAsk, Policy{})
	for _, file := range []string{"a", "b", "c"} {
		c.verdict(t, edit(file)).Ask.Then(Decision{Allow: true, Always: true})
	}
	for _, tt := range []struct {
		number int
		forgot string
		left   string
	}{
		{-1, "no such", "a b c"}, {4, "no such", "a b c"}, {3, "c", "a b"}, {1, "a", "b"}, {0, "b", ""}, {0, "", ""}, {1, "no such", ""},
	} {
		names := func(says []string) string { return strings.ReplaceAll(strings.Join(says, " "), "edits of ", "") }
		forgot, err := c.Revoke(tt.number)
		if (err != nil) != (tt.forgot == "no such") || err == nil && names(forgot) != tt.forgot || names(descriptionsOf(c.Grants())) != tt.left {
			t.Errorf("forgetting %d: %q, %v; left %q", tt.number, forgot, err, descriptionsOf(c.Grants()))
		}
		if asked := c.outcome(t, edit("a")) == "asked"; asked == strings.Contains(tt.left, "a") {
			t.Errorf("forgetting %d: asked %t about a", tt.number, asked)
		}
	}
}

// descriptionsOf returns the descriptions of permissions.
func descriptionsOf(granted []GrantEntry) (says []string) {
	for _, g := range granted {
		says = append(says, g.Says)
	}
	return says
}

// TestGrantsForATurn checks permissions for one turn. They last until they are revoked, and do not
// apply in read-only modes or to protected files. Rules that the user approved for the repository
// do the same, but outlast the turn.
func TestGrantsForATurn(t *testing.T) {
	t.Parallel()
	c := consentIn(t, ModeAsk, Policy{})
	c.SetAgreedRules(parseRules(t, "shell(go vet)"))
	c.GrantForTurn(parseRules(t, "edit(*)"))
	c.GrantForTurn(parseRules(t, "mcp(s/t)"))
	served := Call{Name: "mcp_call", Traits: toolspec.Traits{Network: true}, Preview: tools.Preview{Served: &tools.ServerCall{Server: "s", Tool: "t"}}}
	env := edit(".env").with(func(p *tools.Preview) { p.Protected = []protect.File{{Path: ".env", Name: ".env"}} })
	outcomes := func() (all []string) {
		for _, k := range []Call{edit("a"), served, command("go vet"), env} {
			all = append(all, c.outcome(t, k))
		}
		return all
	}
	if got := outcomes(); !slices.Equal(got, []string{"ran", "ran", "ran", "asked"}) {
		t.Errorf("lent: %q", got)
	}
	c.BeginReview()
	if got := outcomes(); !slices.Equal(got, []string{"refused", "refused", "refused", "refused"}) || !c.IsReview() || c.DenialError() != nil {
		t.Errorf("in a review: %q, %v", got, c.DenialError())
	}
	c.EndTurn()
	if got := outcomes(); !slices.Equal(got, []string{"asked", "asked", "ran", "asked"}) || c.IsReview() || c.DenialError() != ErrDenied {
		t.Errorf("taken back: %q, %v", got, c.DenialError())
	}
	c.SetAgreedRules(nil)
	if got := c.outcome(t, command("go vet")); got != "asked" {
		t.Errorf("no longer agreed to: %s", got)
	}
}

// TestSideQuestion checks a side question: its call passes whatever the answer is, and "always" grants a
// permission for the call that the question is about.
func TestSideQuestion(t *testing.T) {
	t.Parallel()
	for _, d := range []Decision{{}, {Allow: true}, {Allow: true, Always: true}, {Reason: "no"}} {
		c := consentIn(t, ModeAsk, Policy{})
		var got *bool
		question := c.SideQuestion(edit("a"), func(allowed bool) { got = &allowed })
		v := question.Then(d)
		if v.Refusal != "" || v.End != nil || got == nil || *got != d.Allow || question.IsForCall() {
			t.Errorf("%+v: %+v", d, v)
		}
		if granted := len(c.Grants()) > 0; granted != d.Always {
			t.Errorf("%+v grants %q", d, descriptionsOf(c.Grants()))
		}
	}
}

// TestInquiriesAreAnswered checks that the user answers each inquiry of a call. Without a user, the
// call runs with its own default answers.
func TestInquiriesAreAnswered(t *testing.T) {
	t.Parallel()
	k := looks.with(func(p *tools.Preview) { p.Inquiries = make([]tools.Inquiry, 2) })
	for _, tt := range []struct {
		decision Decision
		refusal  string
		end      error
	}{
		{Decision{Allow: true, Answers: make([]tools.InquiryAnswer, 2)}, "", nil},
		{Decision{Allow: true, Answers: make([]tools.InquiryAnswer, 1)}, "did not answer", ErrDenied},
		{Decision{Answers: make([]tools.InquiryAnswer, 2)}, "did not answer", ErrDenied},
		{Decision{Reason: "later"}, "said: later", nil},
	} {
		v := consentIn(t, ModeAsk, Policy{}).verdict(t, k).Ask.Then(tt.decision)
		if !strings.Contains(v.Refusal, tt.refusal) || (v.Refusal == "") != (tt.refusal == "") || v.End != tt.end || (v.Refusal == "") != (len(v.Answers) == 2) {
			t.Errorf("%+v: %+v", tt.decision, v)
		}
	}
	if got := consentIn(t, ModeAsk, Policy{Unattended: true}).outcome(t, k); got != "ran" {
		t.Errorf("with nobody there: %s", got)
	}
}

// TestPlans checks that only a user can approve a plan, and only in plan mode. The approval keeps a
// wider mode that the user selected in the meantime.
func TestPlans(t *testing.T) {
	t.Parallel()
	plans := looks.with(func(p *tools.Preview) { p.Plan = "p" })
	yes, always := Decision{Allow: true}, Decision{Allow: true, Always: true}
	for _, tt := range []struct {
		name       string
		mode       Mode
		unattended bool
		review     bool
		meanwhile  Mode
		decision   Decision
		says       string
		end        error
		then       Mode
	}{
		{name: "yes", mode: ModePlan, decision: yes, then: ModeAsk},
		{name: "yes, and edit", mode: ModePlan, decision: always, then: ModeAutoEdit},
		{name: "a wider mode is chosen", mode: ModePlan, meanwhile: ModeFullAuto, decision: yes, then: ModeFullAuto},
		{name: "a narrower mode is chosen", mode: ModePlan, meanwhile: ModeReadOnly, decision: yes, then: ModeAsk},
		{name: "words", mode: ModePlan, decision: Decision{Reason: "in Go"}, says: "Their answer: in Go", then: ModePlan},
		{name: "no", mode: ModePlan, says: "did not approve", end: ErrDenied, then: ModePlan},
		{name: "nobody", mode: ModePlan, unattended: true, end: ErrPlanIsAnswer, then: ModePlan},
		{name: "ask", mode: ModeAsk, says: "is ask, not plan", then: ModeAsk},
		{name: "read-only", mode: ModeReadOnly, says: "is read-only, not plan", then: ModeReadOnly},
		{name: "nobody, full", mode: ModeFullAuto, unattended: true, says: "not plan", then: ModeFullAuto},
		{name: "a review", mode: ModeFullAuto, review: true, says: "no plan is needed", then: ModePlan},
		{name: "a review in plan", mode: ModePlan, unattended: true, review: true, says: "no plan is needed", then: ModePlan},
	} {
		c := consentIn(t, tt.mode, Policy{Unattended: tt.unattended})
		if tt.review {
			c.BeginReview()
		}
		v := c.verdict(t, plans)
		if asked := v.Ask != nil; asked != (tt.mode == ModePlan && !tt.review && !tt.unattended) {
			t.Errorf("%s: %+v", tt.name, v)
		} else if asked {
			if tt.meanwhile != "" {
				if err := c.settings.Set(settings.LayerSession, settings.ApprovalMode.Key(), string(tt.meanwhile)); err != nil {
					t.Fatal(err)
				}
			}
			v = v.Ask.Then(tt.decision)
		}
		if !strings.Contains(v.Refusal, tt.says) || (v.Refusal == "") != (tt.says == "") || v.End != tt.end || c.Mode() != tt.then || (len(v.Answers) > 0) != tt.decision.Allow {
			t.Errorf("%s: %+v, mode %s", tt.name, v, c.Mode())
		}
	}
}

// TestAModeThatCannotBeSet checks that the turn ends if the mode cannot change after a plan is
// approved. No part of the approval takes effect. It also checks that a mode does not allow more
// than itself.
func TestAModeThatCannotBeSet(t *testing.T) {
	t.Parallel()
	only := settings.New(settings.NewRegistry(settings.All(), settings.Choices{settings.ApprovalMode.Key(): {string(ModePlan)}}))
	if err := only.Set(settings.LayerSession, settings.ApprovalMode.Key(), string(ModePlan)); err != nil {
		t.Fatal(err)
	}
	if v := NewConsent(&Policy{}, only).agreed(Decision{Allow: true}); v.End != ErrDenied || !strings.Contains(v.Refusal, "can't leave mode plan") {
		t.Errorf("%+v", v)
	}
	if ModePlan.AllowsMoreThan(ModePlan) {
		t.Error("plan allows more than plan")
	}
}

// TestPlanNote checks the note to the model. In plan mode and in a review it
// explains how to submit the answer, and in other modes it is empty.
func TestPlanNote(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		mode               Mode
		unattended, review bool
		reads, refusal     string
	}{
		{ModePlan, false, false, "call present_plan", "call present_plan"},
		{ModePlan, true, false, "answer with your plan", "answer with your plan"},
		{ModeFullAuto, true, true, "answer with what you found", "answer with what you found"},
		{ModeReadOnly, false, true, "", "is read-only; answer without changing"},
	} {
		c := consentIn(t, tt.mode, Policy{Unattended: tt.unattended})
		if tt.review {
			c.BeginReview()
		}
		refusal := c.verdict(t, edit("a")).Refusal
		if got := c.PlanNote(); !strings.Contains(got, tt.reads) || (got == "") != (tt.reads == "") || !strings.Contains(refusal, tt.refusal) {
			t.Errorf("%+v: %q, %q", tt, got, refusal)
		}
	}
	if got := consentIn(t, ModeAsk, Policy{}).PlanNote(); got != "" {
		t.Errorf("in ask it reads %q", got)
	}
}

// TestRefusalNamesTheOption checks that a refusal in a non-interactive run names the option that would
// allow the call.
func TestRefusalNamesTheOption(t *testing.T) {
	t.Parallel()
	keys := []protect.File{{Path: "a/.env", Name: ".env", Why: "keys"}, {Path: "b/.env", Name: ".env", Why: "more keys"}}
	written := command("./build").with(func(p *tools.Preview) { p.Outside, p.Commands[0][0].Written = "why", true })
	for _, tt := range []struct {
		mode Mode
		call Call
		says string
	}{
		{ModeAsk, command("x y"), "shell x y was refused: approval-mode is ask; to allow the call, use --approval-mode or --allow 'shell(…)'"},
		{ModeAsk, outside, "approval-mode is ask; to allow the call, use --approval-mode or --allow-outside 'shell(…)'"},
		{ModeAsk, fetches.with(func(p *tools.Preview) { p.Arguments = []byte(`{"a":1}`) }), `fetch {"a":1} was refused`},
		{ModeAsk, edit("a/.env").with(func(p *tools.Preview) { p.Protected = keys }), "a/.env: keys; b/.env: more keys; to allow this, add a rule that names the file: --allow 'edit(….env…)'"},
		{ModeAsk, looks.with(func(p *tools.Preview) { p.Protected = keys }), "--allow 'look(a/.env)'"},
		{ModeFullAuto, command("x").with(func(p *tools.Preview) { p.Unwatched, p.AtHome = "home", true }), "home; to start in another folder, use -C"},
		{ModeAsk, command("x").with(func(p *tools.Preview) { p.Unwatched, p.AtHome = "home", true }), "approval-mode is ask"},
		{ModeAsk, written, "may have changed ./build, which would run outside the sandbox. Allow it with a rule: --allow-outside 'shell(…)'"},
	} {
		if v := consentIn(t, tt.mode, Policy{Unattended: true}).verdict(t, tt.call); !strings.Contains(v.Notice, tt.says) || v.Refusal == "" {
			t.Errorf("%+v", v)
		}
	}
}

// TestADefectOfAGateRefuses checks that a call is refused if a gate has a defect.
func TestADefectOfAGateRefuses(t *testing.T) {
	t.Parallel()
	gates := SortGates(Gate{Name: "last", Stage: StageHook}, Gate{Name: "first", Stage: StageDeny, Check: nil})
	if v := gates[0].Ask(t.Context(), Call{}); !strings.Contains(v.Refusal, "internal error in the gate first") {
		t.Errorf("%+v", v)
	}
	if v := VerdictOf(Decision{Reason: "other"}); !strings.HasSuffix(v.Refusal, ": other") || v.End != nil {
		t.Errorf("%+v", v)
	}
	if v := VerdictOf(Decision{}); !errors.Is(v.End, ErrDenied) {
		t.Errorf("%+v", v)
	}
}

// A call that runs without approval has a recorded reason: the mode, a rule, an earlier answer, or
// a property of the call.
func TestBasisOfCallsWithoutApproval(t *testing.T) {
	t.Parallel()
	allowed := Policy{Allow: parseRules(t, "shell(go *)", "shell(make test)", "edit(*.go)")}
	for _, c := range []struct {
		mode   Mode
		policy Policy
		call   Call
		want   Basis
	}{
		{ModeAsk, Policy{}, looks, Basis{"program", "it is read-only"}},
		{ModeAsk, Policy{}, command("ls"), Basis{"program", "proven read-only"}},
		{ModeFullAuto, Policy{}, command("go test ./..."), Basis{By: "mode full-auto"}},
		{ModeAutoEdit, Policy{}, edit("a.go"), Basis{By: "mode auto-edit"}},
		{ModeAsk, allowed, command("go vet && make test"), Basis{"rules", "shell(go *), shell(make test)"}},
		{ModeAsk, allowed, edit("a.go"), Basis{"rules", "edit(*.go)"}},
	} {
		consent := consentIn(t, c.mode, c.policy)
		var got Basis
		for _, g := range consent.Gates() {
			if v := g.Ask(t.Context(), c.call); v.By.By != "" {
				got = v.By
			}
		}
		if got != c.want {
			t.Errorf("%s of %s: %+v, want %+v", c.call.Preview.Command, c.mode, got, c.want)
		}
	}
	consent := consentIn(t, ModeAsk, Policy{})
	asked := consent.verdict(t, edit("a.go"))
	asked.Ask.Then(Decision{Allow: true, Always: true})
	if v := consent.Gates()[1].Ask(t.Context(), edit("b.go")); v.By != (Basis{"person", "before: edits of *.go files"}) {
		t.Errorf("%+v", v)
	}
}
