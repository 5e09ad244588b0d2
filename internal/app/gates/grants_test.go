package gates

import (
	"testing"

	"agent/internal/rules"
	"agent/internal/tools"
)

// What skills and settings of other agents allow of servers' tools is allowed here.
func TestServersInOurWords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"mcp__github__get_issue": "github/get_issue", "mcp__github": "github/any", "mcp__github__get_*": "github/get_x", "mcp__github__get_issue(*)": "github/get_issue",
	} {
		ours := InOurWords(text)
		if len(ours) != 1 {
			t.Errorf("%s: %q", text, ours)
			continue
		}
		rule, err := tools.NewRegistry().ParseRule(ours[0])
		if err != nil || !(rules.Rules{rule}).AllowServed(tools.ServedRules, want) {
			t.Errorf("%s: %v, %v", text, rule, err)
		}
	}
}
