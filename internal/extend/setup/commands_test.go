package setup

import (
	"path/filepath"
	"strings"
	"testing"

	"agent/internal/extend/setup/template"

	"github.com/google/go-cmp/cmp"
)

func TestFindCommands(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	repo := filepath.Join(home, "repo")
	write(t, "", repo, ".git", "HEAD")
	write(t, "---\ndescription: Opens a pull request\nargument-hint: \"[branch]\"\nallowed-tools: Bash(git push:*)\nmodel: opus\n---\nPush $1.", repo, ".claude/commands/git/pr.md")
	write(t, "# Review the change\nbe strict", repo, ".agents/commands/review.md")
	write(t, "mine", home, ".claude/commands/review.md")
	write(t, "prompt of the repository", repo, ".github/prompts/plan.prompt.md")
	write(t, "no prompt", repo, ".github/prompts/README.md")
	write(t, "description = \"Explains\"\nprompt = \"\"\"\nExplain {{args}}\n\"\"\"", repo, ".gemini/commands/explain.toml")
	write(t, "description = \"broken", repo, ".gemini/commands/broken.toml")
	write(t, "own", home, ".config/agent/commands/own.md")
	write(t, "of codex", home, ".codex/prompts/codex.md")
	write(t, " \n", home, ".codex/prompts/blank.md")
	write(t, strings.Repeat("x", commandPlaces.longest+1), home, ".codex/prompts/long.md")
	found := findIn(home, repo).Commands
	var got []string
	for _, c := range found.Entries {
		got = append(got, string(c.Origin)+" "+c.Name+": "+c.Description+strings.Join(c.Notes, ","))
	}
	want := []string{
		"user codex: of codex", "project explain: Explains", "project git:pr: Opens a pull requestmodel has no effect here", "user own: own",
		"project plan: prompt of the repository", "project review: Review the change", "user review: mine",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(found.Skipped) != 3 || !strings.Contains(strings.Join(found.Skipped, "\n"), "broken.toml") {
		t.Errorf("left out: %q", found.Skipped)
	}
	for name, text := range map[string]string{"review": "be strict", "project:review": "be strict", "user:review": "mine", "git:pr": "Push main."} {
		if c := found.ByName(name); c == nil || !strings.Contains(c.Fill("main")[0].Text, text) {
			t.Errorf("%s: %+v", name, c)
		}
	}
	if found.ByName("user:git:pr") != nil || found.ByName("none") != nil {
		t.Error("a command that is not there")
	}
	if diff := cmp.Diff([]template.Part{{Text: "Explain this"}}, found.ByName("explain").Fill("this")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if c := found.ByName("git:pr"); c.Hint != "[branch]" || len(c.Allowed) != 1 {
		t.Errorf("%+v", c)
	}
}
