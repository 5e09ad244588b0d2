package agents

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"agent/internal/extend/setup/trustedfile"
)

// place writes files, by path, into a home folder and a workspace.
func place(t *testing.T, files map[string]string) trustedfile.Locations {
	t.Helper()
	dir := t.TempDir()
	w := trustedfile.Locations{Config: filepath.Join(dir, "home", ".config", "agent"), Home: filepath.Join(dir, "home"), Workspace: filepath.Join(dir, "work")}
	for _, folder := range []string{w.Config, w.Workspace} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for path, text := range files {
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// TestForms reads agent files in the formats of several coding agents.
func TestForms(t *testing.T) {
	t.Parallel()
	w := place(t, map[string]string{
		"work/.claude/agents/review.md":       "---\nname: Code-Reviewer\ndescription: reads\n  diffs\ntools: Read, Grep, Bash(git diff *)\nmodel: sonnet\npermissionMode: plan\ncolor: red\nhooks: x\n---\nYou review.\n",
		"work/.opencode/agent/docs.md":        "---\ndescription: writes docs\nmode: subagent\ntools:\n  write: true\n  bash: false\npermission:\n  edit: deny\n  webfetch: allow\n  skill:\n    \"*\": deny\n---\nYou write.\n",
		"work/.gemini/agents/looker.md":       "---\nname: looker\ndescription: looks\ntools:\n  - read_file\n  - glob\nmax_turns: 5\ntimeout_mins: 3\n---\nLook.\n",
		"work/.github/agents/tester.agent.md": "---\nname: The \"Tester\"\ndescription: 'tests'\n---\nTest.\n",
		"work/.github/agents/listed.agent.md": "---\nname: 'Listed'\ndescription: 'lists'\ntools:\n  [\n    \"search\",\n    \"edit/editFiles\",\n  ]\nhandoffs:\n  - label: on\n---\nList.\n",
		"work/.codex/agents/mini.toml":        "name = \"mini\"\ndescription = \"small\"\ndeveloper_instructions = \"Be small.\"\nmodel_reasoning_effort = \"low\"\nsandbox_mode = \"read-only\"\nnickname = \"m\"\n",
		"home/.config/agent/agents/e.md":      "---\nname: explore\ndescription: mine\n---\nMine.\n",
	})
	set := Find(w)
	var names []string
	for _, a := range set.Agents {
		names = append(names, a.Name)
	}
	if !slices.Equal(names, []string{"code-reviewer", "docs", "explore", "general", "listed", "looker", "mini", "tester"}) || set.Skipped != nil {
		t.Fatalf("%q, left out %q", names, set.Skipped)
	}
	review, docs, explore, looker, mini := set.Agents[0], set.Agents[1], set.Agents[2], set.Agents[5], set.Agents[6]
	if listed := set.Agents[4]; !slices.Equal(listed.Tools, []string{"search", "edit/editFiles"}) || !slices.Equal(listed.Unused, []string{"handoffs"}) {
		t.Errorf("%+v", listed)
	}
	if review.Description != "reads diffs" || !review.Looks || review.Model != "sonnet" || !slices.Equal(review.Tools, []string{"Read", "Grep", "Bash(git diff *)"}) ||
		!slices.Equal(review.Unused, []string{"color", "hooks"}) || review.Prompt != "You review." || review.Origin != OriginProject {
		t.Errorf("%+v", review)
	}
	if !slices.Equal(docs.Tools, []string{"write"}) || !slices.Equal(docs.Without, []string{"bash", "edit", "write"}) || !slices.Equal(docs.Unused, []string{"mode"}) {
		t.Errorf("%+v", docs)
	}
	if explore.Origin != OriginUser || explore.Prompt != "Mine." {
		t.Errorf("%+v", explore)
	}
	if looker.MaxTurns != 5 || looker.Timeout != 3*time.Minute || !slices.Equal(looker.Tools, []string{"read_file", "glob"}) {
		t.Errorf("%+v", looker)
	}
	if !mini.Looks || mini.Effort != "low" || mini.Prompt != "Be small." || !slices.Equal(mini.Unused, []string{"nickname"}) {
		t.Errorf("%+v", mini)
	}
	if _, err := set.ByName("lookr"); err == nil || !strings.Contains(err.Error(), "looker") {
		t.Errorf("%v", err)
	}
}

// Unusable files are reported with the reason.
func TestLeftOut(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"---\nname: n\ndescription: d\nx":                                    "line 1: its frontmatter has no end",
		"---\nname: null\ndescription: d\n---\nx":                            "has no name",
		"no frontmatter":                                                     "line 1: no frontmatter",
		"---\ndescription: d\n---\nx":                                        "has no name",
		"---\nname: n\n---\nx":                                               "has no description",
		"---\nname: a b\ndescription: d\n---\nx":                             `invalid name "a b"`,
		"---\nname: explore\ndescription: d\n---\nx":                         "its name explore is already used by the built-in subagent",
		"---\nname: n\ndescription: d\nmaxTurns: many\n---\nx":               `maxTurns is "many"; use a whole number from 1`,
		"---\nkind: remote\nname: n\ndescription: d\nagent_card_url: u\n---": "has the kind remote",
		"---\nname: n\ndescription: d\n---\n" + strings.Repeat("x", maxFile): "is longer than 64 KiB",
	} {
		set := Find(place(t, map[string]string{"work/.claude/agents/x.md": text}))
		if len(set.Agents) != 2 || len(set.Skipped) != 1 || !strings.Contains(set.Skipped[0], "x.md: "+want) {
			t.Errorf("%.40q: %q", text, set.Skipped)
		}
	}
	many := map[string]string{}
	for i := range maxFiles + 3 {
		many[fmt.Sprintf("work/.agents/agents/a%d.md", i)] = fmt.Sprintf("---\nname: a%d\ndescription: d\n---\n", i)
	}
	if set := Find(place(t, many)); len(set.Agents) != 2+maxFiles || len(set.Skipped) != 1 || !strings.Contains(set.Skipped[0], "3 files beyond the first 200") {
		t.Errorf("%d agents, left out %q", len(set.Agents), set.Skipped)
	}
	set := Find(place(t, map[string]string{"work/.codex/agents/x.toml": "name = \"x\"\nbroken"}))
	if len(set.Skipped) != 1 || !strings.Contains(set.Skipped[0], "line 2") {
		t.Errorf("%q", set.Skipped)
	}
}

// Find accepts frontmatter as users and editors write it: byte order marks, line endings, tabs,
// comments, quoted field names, lists of models. Files in subfolders count too.
func TestOddFrontmatter(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"bom":      "\uFEFF---\nname: n\ndescription: d\ntools: Read, Grep\nmodel: m\n---\nDo.\n",
		"crlf":     "---\r\nname: n\r\ndescription: d\r\ntools: Read, Grep\r\nmodel: m\r\n---\r\nDo.\r\n",
		"tabs":     "---\t\nname:\tn\ndescription:\td\ntools:\n\t- Read\n\t- Grep\nmodel:\tm\n--- \nDo.\n",
		"comments": "---\n# a helper\nname: n # short\ndescription: \"d\" # of it\ntools: [Read, \"Grep\"] # looks\nmodel: 'm' # cheap\n---\nDo.\n",
		"items":    "---\nname: n\ndescription: d\ntools:\n  - Read # looks\n  - 'Grep' # too\nmodel: [m, m2]\n---\nDo.\n",
		"quoted":   "---\n\"name\": n\n'description': d\n\"tools\": Read, Grep\nmodel:\n  - m\n  - m2\n---\nDo.\n",
	} {
		set := Find(place(t, map[string]string{"work/.claude/agents/below/and/below/n.md": text}))
		a, err := set.ByName("n")
		if err != nil || a.Description != "d" || !slices.Equal(a.Tools, []string{"Read", "Grep"}) || a.Model != "m" || a.Prompt != "Do." {
			t.Errorf("%s: %+v, %v, %q", name, a, err, set.Skipped)
		}
	}
	set := Find(place(t, map[string]string{
		"work/.claude/agents/n.md":              "---\nname: n\ndescription: fixes issue #12\n---\n",
		"work/.opencode/agents/a/b.md":          "---\ndescription: d\n---\n",
		"work/.github/agents/c/d.agent.md":      "---\ndescription: d\n---\n",
		"work/.agents/agents/.git/e.md":         "---\nname: e\ndescription: d\n---\n",
		"work/.agents/agents/1/2/3/4/5/deep.md": "---\nname: f\ndescription: d\n---\n",
	}))
	var all []string
	for _, a := range set.Agents {
		all = append(all, a.Name+" "+a.Description)
	}
	if want := []string{"b d", "d d", "explore " + builtIn[0].Description, "general " + builtIn[1].Description, "n fixes issue #12"}; !slices.Equal(all, want) {
		t.Errorf("%q, %q", all, set.Skipped)
	}
}

// If two files have the same name, the nearer folder counts, and the other file is reported.
func TestNameTaken(t *testing.T) {
	t.Parallel()
	set := Find(place(t, map[string]string{
		"home/.claude/agents/a.md": "---\nname: a\ndescription: mine\n---\nx",
		"work/.claude/agents/a.md": "---\nname: a\ndescription: theirs\n---\nx",
	}))
	a, err := set.ByName("a")
	if err != nil || a.Description != "mine" || len(set.Skipped) != 1 || !strings.Contains(set.Skipped[0], "its name a is already used by") {
		t.Errorf("%+v, %v, %q", a, err, set.Skipped)
	}
}

// No text makes the parser panic, and every offered agent has a name and a description.
func TestAnyText(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.OneOf(rapid.StringMatching(`(name|description|tools|model|maxTurns|permissionMode|skills|x): ?.{0,20}`), rapid.StringMatching(`[ -]{0,3}.{0,10}`))
		text := strings.Join(rapid.SliceOfN(line, 0, 12).Draw(t, "lines"), "\n")
		for _, form := range []func(string) (Agent, error){func(text string) (Agent, error) { return parse(text, "") }, parseTOML} {
			if a, err := form("---\n" + text + "\n---\nbody"); err == nil && (a.Name == "" || a.Description == "") {
				t.Fatalf("%+v", a)
			}
			_, _ = form(text) // must not panic
		}
	})
}
