package gate

import (
	"strings"
	"testing"

	"agent/internal/rules"
	"agent/internal/tools"
	"agent/internal/toolspec"
)

// TestConsentToServers_5_6 checks calls of MCP servers in each mode, with rules, with permissions
// for one definition, and with the hints of the server.
func TestConsentToServers_5_6(t *testing.T) {
	t.Parallel()
	rule, err := tools.NewRegistry().ParseRule("mcp(s/t*)")
	if err != nil {
		t.Fatal(err)
	}
	plain := tools.ServerCall{Server: "s", Tool: "tool", Definition: "one"}
	changed, other, mine := plain, plain, plain
	changed.Definition, changed.Changed = "two", "- one\n+ two"
	other.Tool, mine.Allowed = "other", true
	mineChanged := changed
	mineChanged.Allowed = true
	for _, tt := range []struct {
		name     string
		mode     Mode
		rules    rules.Rules
		served   tools.ServerCall
		readOnly bool
		asks     bool
	}{
		{"ask", ModeAsk, nil, plain, false, true},
		{"auto-edit", ModeAutoEdit, nil, plain, false, true},
		{"full-auto", ModeFullAuto, nil, plain, false, false},
		{"read-only", ModeReadOnly, rules.Rules{rule}, plain, false, true},
		{"plan", ModePlan, rules.Rules{rule}, plain, false, true},
		{"plan, a trusted hint", ModePlan, nil, plain, true, true},
		{"read-only, a trusted hint", ModeReadOnly, nil, plain, true, true},
		{"ask, a trusted hint", ModeAsk, nil, plain, true, false},
		{"a rule", ModeAsk, rules.Rules{rule}, plain, false, false},
		{"a rule of others", ModeAsk, rules.Rules{rule}, other, false, true},
		{"a rule, changed", ModeAsk, rules.Rules{rule}, changed, false, true},
		{"allowed in the own file", ModeAsk, nil, mine, false, false},
		{"allowed in the own file, changed", ModeAsk, nil, mineChanged, false, true},
	} {
		c := consentIn(t, tt.mode, Policy{Allow: tt.rules})
		call := Call{Name: "mcp_call", Traits: toolspec.Traits{Network: true, Edits: true}, Preview: tools.Preview{Served: &tt.served, ReadOnly: tt.readOnly}}
		if got := c.WouldAsk(call); got != tt.asks {
			t.Errorf("%s: asks %t", tt.name, got)
		}
		if refused := c.deny(t.Context(), call).Refusal != ""; refused != (tt.mode.IsReadOnly() && tt.asks) {
			t.Errorf("%s: refused %t", tt.name, refused)
		}
	}
}

// TestGrantsOfServers checks that "a" allows the current definition of a tool only, and is not
// offered for destructive tools.
func TestGrantsOfServers(t *testing.T) {
	t.Parallel()
	c := consentIn(t, ModeAsk, Policy{})
	call := func(s tools.ServerCall) Call {
		return Call{Name: "mcp_call", Traits: toolspec.Traits{Network: true}, Preview: tools.Preview{Served: &s}}
	}
	one := tools.ServerCall{Server: "s", Tool: "t", Definition: "one"}
	v := c.check(t.Context(), call(one))
	if v.Ask == nil || v.Ask.Approval.Always != "calls of s/t, with its present definition" {
		t.Fatalf("%+v", v)
	}
	v.Ask.Then(Decision{Allow: true, Always: true})
	two, other, destroys := one, one, one
	two.Definition, other.Tool = "two", "u"
	destroys.EachTime, destroys.Tool = true, "d"
	if c.WouldAsk(call(one)) || !c.WouldAsk(call(two)) || !c.WouldAsk(call(other)) {
		t.Error("the grant is not for this definition only")
	}
	if v := c.check(t.Context(), call(destroys)); v.Ask == nil || v.Ask.Approval.Always != "" {
		t.Errorf("%+v", v)
	}
	c.Unattended = true
	if v := c.check(t.Context(), call(other)); v.End != ErrDenied || !strings.Contains(v.Notice, "--allow 'mcp(s/u)'") {
		t.Errorf("%+v", v)
	}
	other.Changed = "- a"
	if v := c.check(t.Context(), call(other)); !strings.Contains(v.Notice, "changed the definition of s/u") {
		t.Errorf("%+v", v)
	}
}
