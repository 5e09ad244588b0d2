package imports_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"agent/internal/extend/setup/imports"
)

// changeLines returns the changes of a plan, one on each line.
func changeLines(plan imports.Plan) string {
	var all []string
	for _, c := range plan.Changes {
		all = append(all, fmt.Sprintf("%s %s %s%d → %s (%s)", c.State, c.Kind, c.Name, c.Count, c.To, strings.Join(c.Lost, "; ")))
	}
	return strings.Join(all, "\n")
}

// The report names each setting of other coding agents with its equivalent here, or states that
// there is none.
func TestEverySettingIsReported(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{
		".claude/settings.json": `{"model": "opus", "effortLevel": "high", "outputStyle": "terse", "statusLine": {"type": "command", "command": "line.sh"},
			"env": {"API": "` + token + `", "B": "1"}, "theme": "dark", "cleanupPeriodDays": 9,
			"permissions": {"defaultMode": "acceptEdits", "deny": ["Read(.env)", "Read(./secrets/**)", "Nonsense(x)"], "ask": ["Bash(git push:*)"], "additionalDirectories": ["/x"]}}`,
		".claude/agents/review.md":       "---\nname: review\n---\nReview.",
		".claude/skills/pdf/SKILL.md":    "---\nname: pdf\n---\n",
		".claude/skills/web/SKILL.md":    "---\nname: web\n---\n",
		"work/.claude/agents/ours.md":    "x",
		".cursor/agents/lint.md":         "x",
		".codex/config.toml":             "model = \"gpt-5.5\"\nmodel_reasoning_effort = \"high\"\napproval_policy = \"on-request\"\nsandbox_mode = \"read-only\"\n[profiles.fast]\nmodel = \"gpt-5-mini\"\nmodel_reasoning_effort = \"low\"\nmodel_verbosity = \"low\"\n[tui]\nx = 1\n",
		".gemini/settings.json":          `{"model": {"name": "gemini-3.7-flash"}, "general": {"vimMode": true}}`,
		".gemini/skills/own/SKILL.md":    "x",
		".config/opencode/opencode.json": `{"model": "anthropic/claude-sonnet-4-5", "agent": {"docs": {}}, "permission": {"edit": "ask"}}`,
		".config/crush/crush.json":       `{"mcp": {}, "permissions": {}, "env": {}, "agent": 1}`,
	})
	got := changeLines(p.plan())
	for _, want := range []string{
		"shown settings model0 → /model (the short name opus is unknown; select a model of the current endpoint from the list)",
		"shown settings effortLevel0 → /set reasoning.effort high",
		"shown settings permissions.defaultMode0 → /approval auto-edit",
		"shown settings outputStyle0 → /set output-style terse",
		"shown settings statusLine.command0 → /set status-line.command line.sh",
		"skipped settings env0 →  (API, B: set them in your shell",
		"skipped settings 2 →  (cleanupPeriodDays, theme: ",
		"skipped settings 1 →  (permissions.additionalDirectories: ",
		"already there rules 3 → ",
		`skipped rules a deny or ask rule0 →  (the rule "deny Nonsense(x)"`,
		"already there sub-agents 1 → " + filepath.Join(p.Home, ".claude/agents") + " ",
		"already there sub-agents 1 → " + filepath.Join(p.Workspace, ".claude/agents") + " ",
		"skipped sub-agents lint0 →  (agent does not read subagents there",
		"already there skills 2 → ",
		"shown settings model0 → /model gpt-5.5",
		"shown settings model_reasoning_effort0 → /set reasoning.effort high",
		"skipped settings approval_policy on-request0",
		"shown settings sandbox_mode0 → /approval read-only",
		"shown profiles fast0 → agent profile save fast -m gpt-5-mini --set reasoning.effort=low (without model_verbosity)",
		"skipped settings 1 →  (tui: ",
		"shown settings model.name0 → /model gemini-3.7-flash",
		"skipped settings 1 →  (general: ",
		"skipped skills own0",
		"shown settings model0 → agent --provider anthropic -m claude-sonnet-4-5",
		"skipped sub-agents docs0",
		"skipped settings 1 →  (permission: ",
		"skipped settings 3 →  (agent, env, permissions: ",
	} {
		if strings.Count(got, want) != 1 {
			t.Errorf("not said once: %s", want)
		}
	}
	if t.Failed() || strings.Contains(got, token) {
		t.Error(got)
	}
}

// The report names every member of the files of other coding agents, and shows no secret value.
func TestEveryMemberIsNamed(t *testing.T) {
	t.Parallel()
	files := []string{".claude/settings.json", ".gemini/settings.json", ".config/opencode/opencode.json", ".config/crush/crush.json"}
	names := []string{"model", "env", "agent", "permissions", "permission", "theme", "effortLevel", "outputStyle", "zz_new", "apiKeyHelper"}
	rapid.Check(t, func(r *rapid.T) {
		members := map[string]any{}
		for _, name := range rapid.SliceOfDistinct(rapid.SampledFrom(names), rapid.ID).Draw(r, "members") {
			members[name] = rapid.SampledFrom([]any{"text", token, 1, true, []string{token}, map[string]any{"name": token, "defaultMode": "strange", "extra": 1}}).Draw(r, name)
		}
		data, _ := json.Marshal(members)
		file := rapid.SampledFrom(files).Draw(r, "file")
		plan := newPlace(t, map[string]string{file: string(data)}).plan()
		got := changeLines(plan)
		for name := range members {
			if !strings.Contains(got, name) && !(name == "agent" && strings.Contains(got, "sub-agents")) {
				r.Errorf("%s of %s %s is not named:\n%s", name, file, data, got)
			}
		}
		if strings.Contains(got, token) || slices.ContainsFunc(plan.Changes, func(c imports.Change) bool { return c.State == imports.StateNew }) {
			r.Errorf("a key is shown, or something written:\n%s", got)
		}
	})
}
