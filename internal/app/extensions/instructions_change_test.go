package extensions

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agent/internal/extend/setup"
	"agent/internal/extend/setup/instructions"
	"agent/internal/extend/setup/trustedfile"
	"agent/internal/history"
	"agent/internal/settings"
	"agent/internal/tools"
	"agent/internal/workspace"
	"agent/prompts"
)

// in returns the configuration of a workspace.
func in(place *workspace.Workspace) Config {
	return Config{
		Env: &tools.Env{Workspace: place}, Where: trustedfile.Locations{Workspace: place.Root()},
		Settings: settings.New(settings.NewRegistry(settings.All(), nil)),
		Window:   func() int { return 0 },
	}
}

// If long instructions change little, the model receives a diff to the system prompt. If they
// change much, it receives the whole text.
func TestAChangeOfInstructionsIsADifferenceWhereThatIsShorter(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("Keep to this rule, always.\n", 60)
	place, err := workspace.New(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	c := &Extensions{Config: in(place), head: []prompts.Instruction{{Source: "/w/AGENTS.md", Text: long + "Use tabs.\n"}}}
	for text, want := range map[string][2]string{
		long + "Use blanks.\n": {"-Use tabs.\n+Use blanks.", "always.\nKeep to this rule, always.\nKeep to this rule, always.\nKeep to this rule, always.\n"},
		"Use blanks.\n":        {"The current text applies:\nwhole", "-Use tabs"},
	} {
		whole := "whole"
		if strings.HasPrefix(text, long) {
			whole = text
		}
		got := c.changedText(instructions.File{Path: "/w/AGENTS.md", Text: text}, whole)
		if !strings.Contains(got, want[0]) || strings.Contains(got, want[1]) {
			t.Errorf("%.30q: %s", text, got)
		}
	}
	if got := c.changedText(instructions.File{Path: "/w/new.md", Text: "x"}, "whole"); !strings.Contains(got, "whole") {
		t.Errorf("a new file: %s", got)
	}
}

// The model learns the names of skills that appear during a session once, in one entry.
func TestNewSkills(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	add := func(name, description string) {
		dir := filepath.Join(root, ".claude/skills", name)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "SKILL.md"), []byte("---\ndescription: "+description+"\n---\ndo it\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(root, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	place, err := workspace.New(root, "")
	if err != nil {
		t.Fatal(err)
	}
	add("old", "Old.")
	config := in(place)
	c, _ := New(config, setup.Find(config.Where, nil))
	for step, change := range []struct {
		change func()
		want   string
	}{
		{func() {}, ""},
		{func() { add("new", "New."); add("newer", "Newer.") }, "- new: New. (.claude/skills/new/SKILL.md)\n- newer: Newer."},
		{func() {}, ""},
		{func() { add("old", "Otherwise.") }, "- old: Otherwise."},
	} {
		change.change()
		blocks := c.skillNews()
		if change.want == "" && len(blocks) == 0 {
			continue
		}
		if len(blocks) != 1 || change.want == "" || !strings.Contains(blocks[0].(*history.Text).Text, change.want) {
			t.Errorf("step %d: %v", step, blocks)
		}
	}
	if c.Set().Skills.ByName("newer") == nil {
		t.Error("a new skill cannot be called")
	}
}
