package hook

import (
	"reflect"
	"strings"
	"testing"

	"agent/internal/extend/setup/hooks"
)

// The output of a hook is accepted only for its event, in the present format and in the older one.
func TestAnswers(t *testing.T) {
	t.Parallel()
	text := func(text string) *string { return &text }
	for _, tt := range []struct {
		event   hooks.Event
		printed string
		want    Outcome
		err     string
	}{
		{hooks.PreToolUse, `{"decision":"approve","reason":"r"}`, Outcome{Decision: Allow, Reason: "r"}, ""},
		{hooks.PreToolUse, `{"decision":"approve","hookSpecificOutput":{"permissionDecision":"ask","permissionDecisionReason":"p"}}`, Outcome{Decision: Ask, Reason: "p"}, ""},
		{hooks.PreToolUse, `{"hookSpecificOutput":{"updatedInput":{"a":1}}}`, Outcome{Input: []byte(`{"a":1}`)}, ""},
		{hooks.PreToolUse, `{"hookSpecificOutput":{"updatedInput":null}}`, Outcome{}, ""},
		{hooks.PreToolUse, `{"hookSpecificOutput":{"updatedInput":[1]}}`, Outcome{}, "not an object"},
		{hooks.PreToolUse, `{"decision":"maybe"}`, Outcome{}, `its decision "maybe" is unknown`},
		{hooks.PreToolUse, `{`, Outcome{}, "not valid JSON"},
		{hooks.PreToolUse, `{"continue":true}`, Outcome{}, ""},
		{hooks.PreToolUse, `{"continue":false,"stopReason":"s"}`, Outcome{Stop: true, Why: "s"}, ""},
		{hooks.PreToolUse, `{"hookSpecificOutput":{"decision":{"behavior":"deny","interrupt":true}}}`, Outcome{}, ""},
		{hooks.PermissionRequest, `{"hookSpecificOutput":{"decision":{"behavior":"allow","message":"m","interrupt":true,"updatedInput":{}}}}`, Outcome{Decision: Allow, Reason: "m", Input: []byte(`{}`), Why: "m"}, ""},
		{hooks.PermissionRequest, `{"hookSpecificOutput":{"decision":{"behavior":"deny","message":"m","interrupt":true}}}`, Outcome{Decision: Deny, Reason: "m", Stop: true, Why: "m"}, ""},
		{hooks.PermissionRequest, `{"hookSpecificOutput":{"decision":{"behavior":"deny","message":"m"}}}`, Outcome{Decision: Deny, Reason: "m", Why: "m"}, ""},
		{hooks.PermissionRequest, `{"decision":"deny","reason":"r","hookSpecificOutput":{"updatedInput":{},"decision":{"message":"m"}}}`, Outcome{Decision: Deny, Reason: "r", Input: []byte(`{}`)}, ""},
		{hooks.PostToolUse, `{"decision":"allow","hookSpecificOutput":{"updatedInput":{},"updatedToolOutput":"t"}}`, Outcome{Output: text("t")}, ""},
		{hooks.PostToolUse, `{"hookSpecificOutput":{"updatedToolOutput":null,"updatedMCPToolOutput":{"a":1}}}`, Outcome{Output: text(`{"a":1}`)}, ""},
		{hooks.PostToolUse, `{"decision":"block","reason":"r"}`, Outcome{Decision: Deny, Reason: "r"}, ""},
		{hooks.Stop, `{"decision":"ask","hookSpecificOutput":{"updatedToolOutput":"t"}}`, Outcome{}, ""},
		{hooks.Stop, `{"systemMessage":"s","additionalContext":"a","hookSpecificOutput":{"additionalContext":" "}}`, Outcome{Notices: []string{"s"}, Context: []string{"a"}}, ""},
	} {
		got, err := parse(tt.event, tt.printed)
		if tt.err != "" {
			if err == nil || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%s %s: %v, want %q", tt.event, tt.printed, err, tt.err)
			}
		} else if err != nil || !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s %s: %+v, %v; want %+v", tt.event, tt.printed, got, err, tt.want)
		}
	}
}

// The results of several hooks are merged. The strictest decision counts, the first stop, and the
// last replacement.
func TestMerge(t *testing.T) {
	t.Parallel()
	first, second := "1", "2"
	var o Outcome
	for _, next := range []Outcome{
		{Decision: Ask, Reason: "a", By: "x", Input: []byte("{}"), Output: &first, Context: []string{"c"}, Changed: WorkspaceChanges{Text: "one", Files: map[string][]byte{"a": []byte("1"), "b": []byte("1")}}},
		{Decision: Allow, Reason: "b", By: "y", Stop: true, Output: &second, Notices: []string{"n"}, Changed: WorkspaceChanges{Text: "two", Files: map[string][]byte{"b": []byte("2")}}},
		{Decision: Ask, Reason: "c", By: "z", Stop: true, Why: "later", Context: []string{"d"}},
	} {
		o.Merge(next)
	}
	want := Outcome{
		Decision: Ask, Reason: "a", By: "x", Input: []byte("{}"), Output: &second, Stop: true, Why: "it gave no reason", Context: []string{"c", "d"}, Notices: []string{"n"},
		Changed: WorkspaceChanges{Text: "one\ntwo", Files: map[string][]byte{"a": []byte("1"), "b": []byte("2")}},
	}
	if !reflect.DeepEqual(o, want) {
		t.Errorf("%+v, want %+v", o, want)
	}
}
