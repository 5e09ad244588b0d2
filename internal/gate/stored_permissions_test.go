package gate

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"agent/internal/cmdline"
	"agent/internal/protect"
	"agent/internal/rules"
	"agent/internal/tools"
)

// shelf stores permissions in memory.
type shelf struct {
	all   []rules.Permission
	fails error
}

func (s *shelf) Permissions() []rules.Permission { return slices.Clone(s.all) }

func (s *shelf) Add(add ...rules.Permission) error {
	if s.fails == nil {
		s.all = append(s.all, add...)
	}
	return s.fails
}

func (s *shelf) Remove(drop ...rules.Permission) error {
	if s.fails == nil {
		s.all = slices.DeleteFunc(s.all, func(k rules.Permission) bool { return slices.ContainsFunc(drop, k.SameAs) })
	}
	return s.fails
}

func (s *shelf) CountUse(used ...rules.Permission) {
	for i := range s.all {
		if slices.ContainsFunc(used, s.all[i].SameAs) {
			s.all[i].Count++
		}
	}
}

func (s *shelf) Path() string { return "/config/allowed.json" }

// consentWithShelf returns the Consent of a conversation that stores its permissions on a shelf.
func consentWithShelf(t *testing.T, s *shelf, policy Policy) *Consent {
	t.Helper()
	policy.Keeper, policy.ParseRule = s, func(text string) (rules.Rule, error) { return parseRules(t, text)[0], nil }
	return consentIn(t, ModeAsk, policy)
}

func sandboxed(line string) Call {
	return command(line).with(func(p *tools.Preview) { p.Confined, p.Sandboxed = true, true })
}

// D-123: a stored permission covers exactly the call or the rule that the prompt showed, in each
// session of the project. The prompt offers storing only if it also offers "always".
func TestKeptPermissions(t *testing.T) {
	t.Parallel()
	served := func(definition string, each bool) Call {
		return Call{Name: "mcp_call", Traits: does["fetch"], Preview: tools.Preview{Served: &tools.ServerCall{Server: "s", Tool: "t", Definition: definition, EachTime: each}}}
	}
	written := outside.with(func(p *tools.Preview) {
		p.Commands = []cmdline.Command{{{Text: "./build", Written: true}}}
	})
	there := outside.with(func(p *tools.Preview) { p.Directory = "there" })
	for _, tt := range []struct {
		name       string
		call       Call
		shown      string
		runs, asks []Call
	}{
		{"a command", sandboxed("touch zz"), "exactly `touch zz`", []Call{sandboxed("touch zz")}, []Call{sandboxed("touch yy"), sandboxed("touch zz && touch yy"), command("touch zz"), edit("zz")}},
		{"a form of commands", sandboxed("go test ./..."), "any `go test …` (whatever follows)", []Call{sandboxed("go test -run X")}, []Call{sandboxed("go build"), command("go test")}},
		{"a command without the sandbox", command("touch zz"), "exactly `touch zz` (without the sandbox, with all your rights)", []Call{command("touch zz"), sandboxed("touch zz")}, []Call{command("touch yy")}},
		{"a form of commands without the sandbox", command("go vet"), "any `go vet …` (with any arguments, without the sandbox, with all your rights)", []Call{command("go vet ./...")}, []Call{command("go run .")}},
		{"outside", outside, "outside the sandbox, only this command: ./build (with all your rights)", []Call{outside}, []Call{there, command("./build")}},
		{"outside, what confined commands may have written", written, "", nil, []Call{written}},
		{"files", edit("a.go"), "edits of *.go files", []Call{edit("b/c.go")}, []Call{edit("c.md"), sandboxed("a.go")}},
		{"a tool of a server", served("1", false), "calls of s/t, with its present definition", []Call{served("1", false)}, []Call{served("2", false)}},
		{"a tool that destroys", served("1", true), "", nil, []Call{served("1", true)}},
		{"what deletes", sandboxed("rm x"), "", nil, []Call{sandboxed("rm x")}},
		{"what cannot be told apart", sandboxed("$(x) y"), "", nil, []Call{sandboxed("$(x) y")}},
		{"a download", fetches, "", nil, []Call{fetches}},
		{"a protected file", edit(".env").with(func(p *tools.Preview) { p.Protected = []protect.File{{Path: ".env", Name: ".env"}} }), "", nil, []Call{edit(".env")}},
	} {
		s := &shelf{}
		c := consentWithShelf(t, s, Policy{})
		v := c.verdict(t, tt.call)
		if v.Ask == nil || v.Ask.Approval.ForGood != tt.shown {
			t.Fatalf("%s: %q is offered, want %q", tt.name, v.Ask.Approval.ForGood, tt.shown)
		}
		v.Ask.Then(Decision{Allow: true, Keep: true})
		if kept := len(s.all) > 0; kept != (tt.shown != "") {
			t.Errorf("%s: kept %+v", tt.name, s.all)
		}
		for _, later := range []*Consent{c, consentWithShelf(t, s, Policy{}), consentWithShelf(t, s, Policy{Unattended: true})} {
			for _, k := range tt.runs {
				if got := later.outcome(t, k); got != "ran" {
					t.Errorf("%s: %q %q %s", tt.name, k.Preview.Command, k.Preview.Paths, got)
				}
			}
			for _, k := range tt.asks {
				if got := later.outcome(t, k); got == "ran" {
					t.Errorf("%s: %q %q ran", tt.name, k.Preview.Command, k.Preview.Paths)
				}
			}
			later.BeginReview()
			for _, k := range tt.runs {
				if got := later.outcome(t, k); got != "refused" {
					t.Errorf("%s, in a review: %q %s", tt.name, k.Preview.Command, got)
				}
			}
			later.EndTurn()
		}
	}
}

// A stored permission never covers a protected file, even if it names the file as a rule of --allow
// could.
func TestKeptPermissionsNameNoProtectedFile(t *testing.T) {
	t.Parallel()
	protected := sandboxed("cat .env").with(func(p *tools.Preview) { p.Protected = []protect.File{{Path: ".env", Name: ".env"}} })
	c := consentWithShelf(t, &shelf{all: []rules.Permission{{Rule: "shell(cat .env)"}, {Edits: ".env"}}}, Policy{})
	if got := c.outcome(t, protected); got != "asked" {
		t.Errorf("cat .env %s", got)
	}
}

// Permissions of the session, of the project and of flags add up for one call.
func TestPermissionsAddUp(t *testing.T) {
	t.Parallel()
	s := &shelf{all: []rules.Permission{{Rule: "shell(go vet *)"}}}
	c := consentWithShelf(t, s, Policy{Allow: parseRules(t, "shell(go test *)")})
	c.Restore([]rules.Permission{{Rule: "shell(make)"}})
	if got := c.outcome(t, sandboxed("go test && go vet && make")); got != "ran" {
		t.Errorf("all three: %s", got)
	}
	if s.all[0].Count != 1 {
		t.Errorf("its use was counted %d times", s.all[0].Count)
	}
	if got := c.outcome(t, sandboxed("go test && make")); got != "ran" || s.all[0].Count != 1 {
		t.Errorf("without it: %s, counted %d times", got, s.all[0].Count)
	}
}

// Grants lists permissions, first the permissions of the session. A permission can be revoked by
// its number in all sessions.
func TestPermissionsAreListedAndRevoked(t *testing.T) {
	t.Parallel()
	s := &shelf{}
	var recorded []rules.Permission
	c := consentWithShelf(t, s, Policy{OnGrants: func(all []rules.Permission) { recorded = all }})
	other := consentWithShelf(t, s, Policy{})
	c.verdict(t, edit("a.go")).Ask.Then(Decision{Allow: true, Always: true})
	receipt := c.verdict(t, sandboxed("touch zz")).Ask.Then(Decision{Allow: true, Keep: true}).Notice
	if receipt != "Allowed permanently in this project: exactly `touch zz`. Stored in /config/allowed.json. To revoke it, type /approval" {
		t.Errorf("the receipt is %q", receipt)
	}
	all := c.Grants()
	if len(all) != 2 || all[0].Project || !all[1].Project || all[1].Says != "exactly `touch zz`" {
		t.Fatalf("%+v", all)
	}
	if len(recorded) != 1 || recorded[0].Edits != "*.go" {
		t.Errorf("recorded %+v", recorded)
	}
	if got := other.outcome(t, sandboxed("touch zz")); got != "ran" {
		t.Errorf("in another session: %s", got)
	}
	if forgot, err := c.Revoke(2); err != nil || !slices.Equal(forgot, []string{"exactly `touch zz`"}) {
		t.Errorf("%q, %v", forgot, err)
	}
	if got := other.outcome(t, sandboxed("touch zz")); got != "asked" {
		t.Errorf("taken back, in another session: %s", got)
	}
	c.verdict(t, sandboxed("touch zz")).Ask.Then(Decision{Allow: true, Keep: true})
	if forgot, err := c.Revoke(0); err != nil || len(forgot) != 2 || len(c.Grants()) != 0 || len(recorded) != 0 || len(s.all) != 0 {
		t.Errorf("all: %q, %v; left %+v, recorded %+v", forgot, err, c.Grants(), recorded)
	}
}

// A permission that cannot be stored lasts for the session, and a notice explains why. A stored
// permission that cannot be revoked is an error.
func TestPermissionsThatCannotBeKept(t *testing.T) {
	t.Parallel()
	s := &shelf{fails: errors.New("the disk is full")}
	c := consentWithShelf(t, s, Policy{})
	v := c.verdict(t, sandboxed("touch zz")).Ask.Then(Decision{Allow: true, Keep: true})
	if v.Refusal != "" || v.Notice != "allowed for this session only: the disk is full" || c.outcome(t, sandboxed("touch zz")) != "ran" {
		t.Errorf("%+v", v)
	}
	s.all = []rules.Permission{{Edits: "*.go"}}
	if _, err := c.Revoke(2); err == nil {
		t.Error("it was not taken back, and nobody reads that")
	}
}

// Without a store for permissions, the prompt does not offer a permanent permission, and A allows
// the call once.
func TestNothingIsKeptWithoutAKeeper(t *testing.T) {
	t.Parallel()
	c := consentIn(t, ModeAsk, Policy{})
	v := c.verdict(t, sandboxed("touch zz"))
	if v.Ask.Approval.ForGood != "" || v.Ask.Approval.Always == "" {
		t.Errorf("%+v", v.Ask.Approval)
	}
}

// A rule that cannot be parsed or read allows nothing.
func TestUnreadableRulesGrantNothing(t *testing.T) {
	t.Parallel()
	c := consentWithShelf(t, &shelf{all: []rules.Permission{{Rule: "nonsense"}, {}}}, Policy{})
	c.ParseRule = func(string) (rules.Rule, error) { return rules.Rule{}, errors.New("no rule") }
	nameless := outside.with(func(p *tools.Preview) { p.Command = "" })
	for _, k := range []Call{sandboxed("nonsense"), edit(""), edit("a"), nameless, {Name: "mcp_call", Traits: does["fetch"], Preview: tools.Preview{Served: &tools.ServerCall{}}}} {
		if got := c.outcome(t, k); got == "ran" {
			t.Errorf("%+v ran", k)
		}
	}
}

// After three approvals of similar calls, the prompt reports how many of them the rule would have
// covered.
func TestQuestionsCountSimilarCalls(t *testing.T) {
	t.Parallel()
	c := consentWithShelf(t, &shelf{}, Policy{})
	for _, tt := range []struct{ line, often string }{
		{"go test ./a", ""},
		{"go vet", ""},
		{"go test ./b", ""},
		{"go test ./a", ""},
		{"go test ./c", "asked 3 times so far: go test ./a · go test ./b"},
		{"go vet", ""},
		{"go test x && go vet", ""},
		{"go test ./d", "asked 5 times so far: go test ./a · go test ./b · go test ./c · go test x && go vet"},
	} {
		v := c.verdict(t, sandboxed(tt.line))
		if v.Ask.Approval.Often != tt.often {
			t.Errorf("%s: %q, want %q", tt.line, v.Ask.Approval.Often, tt.often)
		}
		v.Ask.Then(Decision{Allow: true})
	}
	v := c.verdict(t, sandboxed("go test ./no"))
	v.Ask.Then(Decision{})
	if again := c.verdict(t, sandboxed("go test ./e")); strings.Contains(again.Ask.Approval.Often, "./no") {
		t.Errorf("what was refused counts: %q", again.Ask.Approval.Often)
	}
}
