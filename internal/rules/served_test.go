package rules

import (
	"errors"
	"strings"
	"testing"
)

// TestRulesAllowingServed checks mcp(SERVER/TOOL) with patterns, and the format of other coding
// agents.
func TestRulesAllowingServed(t *testing.T) {
	t.Parallel()
	subject := func(name string) (Subject, error) {
		if name == "mcp" {
			return SubjectServed, nil
		}
		return SubjectNone, errors.New("no such tool")
	}
	for _, tt := range []struct {
		rule, served string
		want         bool
	}{
		{"mcp(github/create_issue)", "github/create_issue", true},
		{"mcp(github/create_issue)", "github/create_issues", false},
		{"mcp(github/create_issue)", "gitlab/create_issue", false},
		{"mcp(github/get_*)", "github/get_file", true},
		{"mcp(github/get_*)", "github/delete", false},
		{"mcp(github)", "github/delete", true},
		{"mcp(github)", "hub/github", false},
		{"mcp(git*/x)", "github/x", true},
		{"mcp(*)", "github/x", true},
		{"mcp(*/x)", "github/x", true},
		{"mcp(github/*)", "github/*", true},
		{"mcp(github/x)", "github/*", false},
		{"mcp__github__create_issue", "github/create_issue", true},
		{"mcp__github__create_issue(*)", "github/create_issue", true},
		{"mcp__github", "github/x", true},
		{"mcp__github__*", "github/x", true},
		{"mcp__github__get_*", "github/set", false},
	} {
		rule, err := Parse(tt.rule, subject)
		if err != nil {
			t.Errorf("%s: %v", tt.rule, err)
		} else if got := (Rules{rule}).MatchingServerRules("mcp", tt.served) != nil; got != tt.want {
			t.Errorf("%s of %s: %t", tt.rule, tt.served, got)
		}
	}
	for rule, want := range map[string]string{"mcp(a/b/c)": "must be SERVER/TOOL", "mcp(a/[)": "must be SERVER/TOOL", "mcp()": "TOOL(PATTERN)"} {
		if _, err := Parse(rule, subject); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", rule, err)
		}
	}
}
