package instructions

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"agent/internal/extend/setup/trustedfile"
)

func TestClean(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ id, give, want string }{
		{"byte order mark and carriage returns", "\uFEFFa\r\nb\r\n", "a\nb"},
		{"a comment", "a\n<!-- not\nfor the\nmodel -->\nb", "a\nb"},
		{"a comment in a line", "a <!-- x --> b", "a  b"},
		{"a comment in code stays", "```\n<!-- x -->\n```\n`<!-- y -->`", "```\n<!-- x -->\n```\n`<!-- y -->`"},
		{"a fence of tildes", "~~~~\n<!-- x -->\n~~~\n<!-- y -->\n~~~~\n<!-- z -->end", "~~~~\n<!-- x -->\n~~~\n<!-- y -->\n~~~~\nend"},
		{"a comment that never ends", "a\n<!-- b", "a"},
		{"control characters are visible", "a\x1b[31mb\tc", "a␛[31mb\tc"},
	} {
		if got := clean(c.give); got != c.want {
			t.Errorf("%s: %q, want %q", c.id, got, c.want)
		}
	}
}

// texts returns the joined instructions of a workspace.
func texts(found Listing) string {
	var all []string
	for _, f := range found.Files {
		all = append(all, f.Text)
	}
	return strings.Join(all, "|")
}

func TestImports(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		id    string
		files map[string]string
		want  string
	}{
		{"in place", map[string]string{"CLAUDE.md": "a\n@docs/b.md\nc", "docs/b.md": "b"}, "a\nb\nc"},
		{"relative to the file that imports", map[string]string{"AGENTS.md": "@docs/b.md", "docs/b.md": "b @c.md", "docs/c.md": "c"}, "b c"},
		{"a file of one line that imports the other", map[string]string{"AGENTS.md": "a", "CLAUDE.md": "@AGENTS.md"}, "a"},
		{"the end of a sentence", map[string]string{"AGENTS.md": "See @b.md.", "b.md": "b"}, "See b."},
		{"not in code", map[string]string{"AGENTS.md": "`@b.md`\n```\n@b.md\n```", "b.md": "b"}, "`@b.md`\n```\n@b.md\n```"},
		{"packages and addresses", map[string]string{"AGENTS.md": "npm i @types/node, mail me@b.md", "b.md": "b"}, "npm i @types/node, mail me@b.md"},
		{"once", map[string]string{"AGENTS.md": "@b.md and @b.md", "b.md": "b"}, "b and"},
		{"the same content once", map[string]string{"AGENTS.md": "@b.md and @c.md", "b.md": "b", "c.md": "b\r\n"}, "b and"},
		{"a circle", map[string]string{"AGENTS.md": "a @b.md", "b.md": "b @AGENTS.md"}, "a b"},
		{"keys", map[string]string{"AGENTS.md": "@.env", ".env": "KEY=1"}, "@.env\n(@.env is not imported: "},
		{"no text", map[string]string{"AGENTS.md": "@b.bin", "b.bin": "\x00\x01"}, "@b.bin\n(@b.bin is not imported: it is not text)"},
		{"outside of the repository", map[string]string{"AGENTS.md": "@../outside.md", "../outside.md": "secret"}, "@../outside.md\n(@../outside.md is not imported: it is outside "},
		{"D-121 denied", map[string]string{"AGENTS.md": "a @denied.md", "denied.md": "D"}, "a @denied.md\n(@denied.md is not imported: a rule denies it)"},
	} {
		t.Run(c.id, func(t *testing.T) {
			t.Parallel()
			top := root(t)
			repo := filepath.Join(top, "repo")
			write(t, "ref", repo, ".git", "HEAD")
			for name, text := range c.files {
				write(t, text, repo, name)
			}
			found := Find(Locations{
				Locations: trustedfile.Locations{Config: filepath.Join(top, "config"), Home: filepath.Join(top, "home"), Workspace: repo},
				Withhold: func(abs string) string {
					return map[bool]string{true: "a rule denies it"}[filepath.Base(abs) == "denied.md"]
				},
			})
			got := texts(found)
			// The user is notified, too.
			if refused := strings.Contains(c.want, "is not imported"); refused != (len(found.Problems) == 1) || refused && !strings.Contains(found.Problems[0].Error(), "AGENTS.md: @") {
				t.Errorf("the person reads %v", found.Problems)
			}
			if got != c.want && !(strings.HasSuffix(c.want, " ") && strings.HasPrefix(got, c.want)) {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

func TestImportsEndAtADepth(t *testing.T) {
	t.Parallel()
	repo := root(t)
	write(t, "ref", repo, ".git", "HEAD")
	write(t, "0 @1.md", repo, "AGENTS.md")
	for i := 1; i < 9; i++ {
		write(t, fmt.Sprintf("%d @%d.md", i, i+1), repo, fmt.Sprintf("%d.md", i))
	}
	got := texts(Find(Locations{Locations: trustedfile.Locations{Workspace: repo}}))
	if !strings.HasPrefix(got, "0 1 2 3 4 5 @6.md\n(@6.md is not imported: imports are nested more than 5 levels deep)") || strings.Contains(got, "7") {
		t.Error(got)
	}
}

// The user's own file may import files of the home folder.
func TestImportFromHome(t *testing.T) {
	t.Parallel()
	top := root(t)
	write(t, "mine", top, "home", "notes", "own.md")
	write(t, "@~/notes/own.md", top, "home", ".claude", "CLAUDE.md")
	write(t, "@~/notes/own.md", top, "home", "w", "AGENTS.md")
	found := Find(Locations{Locations: trustedfile.Locations{Config: filepath.Join(top, "config"), Home: filepath.Join(top, "home"), Workspace: filepath.Join(top, "home", "w")}})
	if got := texts(found); got != "mine" {
		t.Errorf("%q", got)
	}
}

func TestOneFileOfAFolderCounts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		id    string
		files []string
		where Locations
		want  string
		named string
	}{
		{"an override", []string{"AGENTS.override.md", "AGENTS.md"}, Locations{}, "AGENTS.override.md", "AGENTS.md is not read, because AGENTS.override.md takes precedence. To include it, add the line @AGENTS.md to that file"},
		{"AGENTS.md before CLAUDE.md", []string{"AGENTS.md", "CLAUDE.md"}, Locations{}, "AGENTS.md", "CLAUDE.md is not read, because AGENTS.md takes precedence. To include it, add the line @CLAUDE.md to that file"},
		{"CLAUDE.md alone", []string{"CLAUDE.md"}, Locations{}, "CLAUDE.md", ""},
		{"in a folder of its own", []string{".claude/CLAUDE.md", "GEMINI.md"}, Locations{}, ".claude/CLAUDE.md", "GEMINI.md is not read"},
		{"and a companion", []string{"AGENTS.md", "CLAUDE.local.md"}, Locations{}, "AGENTS.md|CLAUDE.local.md", ""},
		{"one companion", []string{"AGENTS.local.md", "CLAUDE.local.md"}, Locations{}, "AGENTS.local.md", ""},
		{"names of one's own", []string{"AGENTS.md", "TEAM.md"}, Locations{Files: []string{"TEAM.md"}}, "TEAM.md", ""},
		{"Cursor's rules where there is nothing else", []string{".cursorrules", ".github/copilot-instructions.md"}, Locations{}, ".github/copilot-instructions.md|.cursorrules", ""},
		{"and only there", []string{".cursorrules", "AGENTS.md"}, Locations{}, "AGENTS.md", ""},
	} {
		t.Run(c.id, func(t *testing.T) {
			t.Parallel()
			repo := root(t)
			write(t, "ref", repo, ".git", "HEAD")
			for _, name := range c.files {
				write(t, name, repo, name)
			}
			c.where.Workspace = repo
			found := Find(c.where)
			if got := texts(found); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
			if named := strings.Join(found.Unread, "; "); !strings.HasPrefix(named, c.named) || c.named == "" && named != "" {
				t.Errorf("named: %q", named)
			}
		})
	}
}

// The user's file is the first existing one in a list of paths.
func TestUsersOwnFile(t *testing.T) {
	t.Parallel()
	top := root(t)
	where := Locations{Locations: trustedfile.Locations{Config: filepath.Join(top, ".config", "agent"), Home: top, Workspace: filepath.Join(top, "w")}}
	write(t, "", top, "w", ".git", "HEAD")
	for _, file := range []string{".gemini/GEMINI.md", ".codex/AGENTS.md", ".claude/CLAUDE.md", ".config/AGENTS.md", ".agents/AGENTS.md", ".config/agent/AGENTS.md"} {
		write(t, "from "+file, top, file)
		if got := texts(Find(where)); got != "from "+file {
			t.Errorf("%q, want that of %s", got, file)
		}
	}
}

func TestTheMostGeneralIsCutFirst(t *testing.T) {
	t.Parallel()
	repo := root(t)
	write(t, "ref", repo, ".git", "HEAD")
	write(t, strings.Repeat("a", 60<<10), repo, "AGENTS.md")
	write(t, strings.Repeat("b", 60<<10), repo, "in", "AGENTS.md")
	found := Find(Locations{Locations: trustedfile.Locations{Workspace: filepath.Join(repo, "in")}})
	if len(found.Files) != 2 || len(found.Files[0].Text) > 37<<10 || len(found.Files[1].Text) != 60<<10 || len(found.Problems) != 1 || !strings.Contains(found.Files[0].Text, "(cut: all instructions together") {
		t.Errorf("%d files, %v", len(found.Files), found.Problems)
	}
}

func TestBelow(t *testing.T) {
	t.Parallel()
	repo := root(t)
	write(t, "ref", repo, ".git", "HEAD")
	write(t, "top", repo, "AGENTS.md")
	write(t, "of a", repo, "a", "CLAUDE.md")
	write(t, "of a/b", repo, "a", "b", "AGENTS.md")
	write(t, "---\npaths: [\"a/**/*.go\", \"*.{c,h}\"]\n---\nGo rules", repo, ".claude", "rules", "go.md")
	write(t, "---\ndescription: x\nglobs: *.py, web/*.ts\nalwaysApply: false\n---\nPython rules", repo, ".cursor", "rules", "py.mdc")
	write(t, "---\npaths:\n  - \"docs/*\"\n---\nDocs rules", repo, ".claude", "rules", "docs.md")
	write(t, "Always", repo, ".claude", "rules", "always.md")
	where := Locations{Locations: trustedfile.Locations{Workspace: repo}}
	if got := texts(Find(where)); got != "top|Always" {
		t.Errorf("head: %q", got)
	}
	for path, want := range map[string]string{
		"x.go":      "",
		"a/x.txt":   "of a",
		"a/b/x.go":  "of a|of a/b|Go rules",
		"deep/x.h":  "Go rules",
		"x.py":      "Python rules",
		"web/x.ts":  "Python rules",
		"docs/x.md": "Docs rules",
	} {
		if got := texts(FindNested(where, path)); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}

func FuzzClean(f *testing.F) {
	f.Add("a <!-- b --> `c` ```\n@x\n```")
	f.Fuzz(func(t *testing.T, text string) {
		once := clean(text)
		if again := clean(once); again != once && !strings.Contains(once, "<!--") {
			t.Errorf("%q becomes %q", once, again)
		}
	})
}
