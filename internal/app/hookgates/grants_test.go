package hookgates

import (
	"testing"

	"agent/internal/rules"
	"agent/internal/tools"
)

// Rules of skills and of other programs' settings that allow tools of servers are valid here too.
func TestServersInOurWords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"mcp__github__get_issue": "github/get_issue", "mcp__github": "github/any", "mcp__github__get_*": "github/get_x", "mcp__github__get_issue(*)": "github/get_issue",
	} {
		ours := TranslateRule(text)
		if len(ours) != 1 {
			t.Errorf("%s: %q", text, ours)
			continue
		}
		rule, err := tools.NewRegistry().ParseRule(ours[0])
		if err != nil || (rules.Rules{rule}).MatchingServerRules(tools.ServedRules, want) == nil {
			t.Errorf("%s: %v, %v", text, rule, err)
		}
	}
}

// A rule of another program about edits covers every tool that edits.
func TestEditsInOurWords(t *testing.T) {
	t.Parallel()
	registry := tools.NewRegistry(tools.Default()...)
	for _, text := range []string{"Edit(src/**)", "MultiEdit(src/**)", "edit(src/**)", "str_replace(./src/**)", "Edit(/src/**)", "Edit(src)", "Edit(src/)"} {
		allowed, err := ParseAllowFlag(registry, text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
		}
		for _, tool := range []string{"replace", "write_file", "apply_patch", "insert_at_line", "ast_edit"} {
			if !allowed.Allows(tool, nil, []string{"src/a.go"}) || allowed.Allows(tool, nil, []string{"docs/a.go"}) {
				t.Errorf("%s about %s", text, tool)
			}
		}
	}
	if allowed, err := ParseAllowFlag(registry, "write_file(src/**)"); err != nil || allowed.Allows("replace", nil, []string{"src/a.go"}) {
		t.Errorf("a rule in our words is about its tool only: %v", err)
	}
}
