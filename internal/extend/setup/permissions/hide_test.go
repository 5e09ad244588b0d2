package permissions_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agent/internal/extend/setup/permissions"
	"agent/internal/extend/setup/trustedfile"
)

// Files that a deny rule with wildcards matches are hidden, one by one.
func TestHidden(t *testing.T) {
	t.Parallel()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		".git/HEAD": "", "a.key": "", "sub/b.key": "", "sub/c.txt": "", "private/x/y": "", "x.env": "",
		".claude/settings.json": `{"permissions": {"deny": ["Read(**/*.key)", "Read(./pri*/**)", "Read(c.txt)", "Read(./absent/**)", "Edit(*.env)"], "ask": ["Read(*.env)"]}}`,
	} {
		if err := os.MkdirAll(filepath.Join(root, filepath.Dir(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	read := permissions.Read(trustedfile.Locations{Home: filepath.Dir(root), Workspace: root})
	check := func(of func() (paths, unbound []string), want ...string) {
		paths, unbound := of()
		var got []string
		for _, path := range paths {
			rel, _ := filepath.Rel(root, path)
			got = append(got, filepath.ToSlash(rel))
		}
		slices.Sort(got)
		if !slices.Equal(got, want) || len(unbound) > 0 {
			t.Errorf("%q, %q; want %q", got, unbound, want)
		}
	}
	check(read.UnreadablePaths, "a.key", "absent", "private", "sub/b.key", "sub/c.txt")
	check(read.UnwritablePaths, "x.env")
	if err := os.WriteFile(filepath.Join(root, ".claude/settings.json"), []byte(`{"permissions": {"deny": ["Edit(**)", "Write"]}}`), 0o644); err != nil {
		t.Fatal(err)
	}
	read = permissions.Read(trustedfile.Locations{Home: filepath.Dir(root), Workspace: root})
	check(read.UnwritablePaths, ".")
}

// Read returns the extra permissions that a repository requests as an offer, and reports settings
// that a repository may never change.
func TestOffered(t *testing.T) {
	t.Parallel()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(root, ".claude"), 0o755); err != nil {
		t.Fatal(err)
	}
	names := ""                                // the line for the settings with apiKeyHelper
	for text, want := range map[string][3]int{ // number of offers, lines and problems
		`{"permissions": {"allow": ["Bash(ls)"]}}`:                                                          {1, 0, 0},
		`{"permissions": {"allow": "all", "deny": ["Edit"]}}`:                                               {0, 1, 0},
		`{"apiKeyHelper": "x", "env": {}, "statusLine": {}, "permissions": {"defaultMode": "acceptEdits"}}`: {0, 1, 0},
		`{"hooks": {}}`: {0, 0, 0},
		`{`:             {0, 0, 1},
	} {
		if err := os.WriteFile(filepath.Join(root, ".claude/settings.json"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		r := permissions.Read(trustedfile.Locations{Home: "/home/nobody", Workspace: root})
		if got := [3]int{len(r.Offered), len(r.Ignored), len(r.Problems)}; got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
		if strings.Contains(text, "apiKeyHelper") {
			names = r.Ignored[0]
		}
		own := permissions.Read(trustedfile.Locations{Home: root, Workspace: filepath.Join(root, "x")})
		if len(own.Offered)+len(own.Ignored) > 0 {
			t.Errorf("%s of the user's own folder: %v", text, own)
		}
	}
	if want := filepath.Join(root, ".claude/settings.json") + ": apiKeyHelper, env, permissions.defaultMode, statusLine (a repository can't set this, only you)"; names != want {
		t.Errorf("%s, want %s", names, want)
	}
}

// The line of an offer belongs to the effective rules, and not to another "allow".
func TestLineOfOffer(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, ".claude"), 0o755); err != nil {
		t.Fatal(err)
	}
	for text, line := range map[string]int{
		"{\n\"x\": {\"allow\": 1},\n\"y\": [\"allow\"],\n\"permissions\": {\"deny\": [],\n\"allow\": [\"Bash(ls)\",\n\"Edit\"]}}":                              5,
		"{\"allow\": 1, \"permissions\": {\n\"\\u0061llow\": [\"Edit\"]}}":                                                                                     2,
		"{\"permissions\": {\"allow\": []},\n\"permissions\": {\n\"allow\": [\"Edit\"]},\n\"x\": {\"permissions\": {\"allow\": [\"Edit\"]}}, \"y\": \"\xff\"}": 3,
	} {
		if err := os.WriteFile(filepath.Join(root, ".claude/settings.json"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		r := permissions.Read(trustedfile.Locations{Home: "/home/nobody", Workspace: root})
		if len(r.Offered) != 1 || r.Offered[0].Line != line {
			t.Errorf("%s: %+v, want line %d", text, r, line)
		}
	}
}
