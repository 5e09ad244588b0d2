package gate

import (
	"testing"

	"agent/internal/protect"
	"agent/internal/tools"
	"agent/internal/toolspec"
)

// TestAllowOfHooksSparesTheQuestionAndNothingElse (D-97) checks that a hook's "allow" only replaces
// the approval prompt. It does not override read-only modes, protected files, leaving the sandbox,
// the call's own question or plan, or a changed tool definition of a server.
func TestAllowOfHooksSparesTheQuestionAndNothingElse(t *testing.T) {
	t.Parallel()
	runs := toolspec.Traits{Runs: true}
	for _, c := range []struct {
		name    string
		mode    Mode
		preview tools.Preview
		asks    bool
	}{
		{"a command", ModeAsk, tools.Preview{Command: "go test"}, false},
		{"a command, not watched", ModeAutoEdit, tools.Preview{Command: "go test", Unwatched: "too many"}, false},
		{"a server", ModeAsk, tools.Preview{Served: &tools.ServerCall{Server: "s", Tool: "t"}}, false},
		{"a server that changed", ModeAsk, tools.Preview{Served: &tools.ServerCall{Server: "s", Tool: "t", Changed: "+ x"}}, true},
		{"read-only", ModeReadOnly, tools.Preview{Command: "go test"}, true},
		{"plan", ModePlan, tools.Preview{Command: "go test"}, true},
		{"leaving the sandbox", ModeAsk, tools.Preview{Command: "go test", Outside: "why"}, true},
		{"leaving the sandbox, auto-edit", ModeAutoEdit, tools.Preview{Command: "go test", Outside: "why"}, true},
		{"a protected file", ModeAsk, tools.Preview{Command: "go test", Protected: []protect.File{{Path: ".git/hooks/x", Name: ".git/hooks"}}}, true},
		{"a question", ModeFullAuto, tools.Preview{Inquiries: []tools.Inquiry{{Question: "?"}}}, true},
		{"leaving plan", ModeFullAuto, tools.Preview{Plan: "p"}, true},
	} {
		consent := consentIn(t, c.mode, Policy{})
		call := Call{Name: "does", Traits: runs, Preview: c.preview, Spared: true}
		if got := consent.WouldAsk(call); got != c.asks {
			t.Errorf("%s: asks %t", c.name, got)
		}
		if refused := consent.deny(t.Context(), call).Refusal != ""; refused != c.mode.IsReadOnly() {
			t.Errorf("%s: refused %t", c.name, refused)
		}
		call.Spared = false
		if c.mode != ModeFullAuto && !consent.WouldAsk(call) {
			t.Errorf("%s: nothing would be asked without the hook either", c.name)
		}
	}
}

// TestFullAutoAsksInAHomeFolder (B4) checks that full-auto requires approval in a home folder, unless
// the user named the folder.
func TestFullAutoAsksInAHomeFolder(t *testing.T) {
	t.Parallel()
	for _, does := range []toolspec.Traits{{Runs: true}, {Edits: true}} {
		for _, atHome := range []bool{true, false} {
			call := Call{Name: "does", Traits: does, Preview: tools.Preview{Command: "touch x", Unwatched: "home", AtHome: atHome}}
			if consentIn(t, ModeFullAuto, Policy{}).WouldAsk(call) != atHome {
				t.Errorf("%+v, in the home folder %t: asks %t", does, atHome, !atHome)
			}
		}
	}
}
