package projectcheck

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Only new lines count. A line that moved, or that has other numbers, is old (D-100).
func TestFreshLines(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, before, now, want string }{
		{"nothing before", "", "a.go:3:1: undefined: x\n", "a.go:3:1: undefined: x"},
		{"the same", "a.go:3:1: bad\n", "a.go:3:1: bad\n", ""},
		{"fixed", "a.go:3:1: bad\n", "", ""},
		{"moved", "a.go:3:1: bad\n", "a.go:17:1: bad\n", ""},
		{"moved, and another of its kind", "a.go:3:1: bad\n", "a.go:3:1: bad\na.go:17:1: bad\n", "a.go:17:1: bad"},
		{"moved in tsc's form", "src/a.ts(3,1): error TS1\n", "src/a.ts(17,4): error TS1\n", ""},
		{"names with digits differ", "undefined: x1\n", "undefined: x2\n", "undefined: x2"},
		{"counts and times", "Found 3 errors in 1.2s\n", "Found 1 error in 0.9s\n", ""},
		{"order", "b\na\n", "a\nb\n", ""},
		{"blanks", "  a  \n\n", "a\n\n\n", ""},
		{"no line feed at the end", "a", "a\nb", "b"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			lines, all := newLines(c.before, c.now)
			if got := strings.Join(lines, "\n"); got != c.want || all != len(lines) {
				t.Errorf("got %q of %d, want %q", got, all, c.want)
			}
		})
	}
	lines, all := newLines("", strings.Repeat("x "+strings.Repeat("y", 1000)+"\n", 30))
	if len(lines) != mostLines || all != 30 || len(lines[0]) > longestLine+3 {
		t.Errorf("%d lines of %d, the first of %d bytes", len(lines), all, len(lines[0]))
	}
}

func TestFindsTheCheckOfAProject(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for path, content := range map[string]string{
		"go.mod": "module m", "web/tsconfig.json": "{}", "py/pyproject.toml": "[tool.ruff]\n", "plain/pyproject.toml": "[project]\n",
		"rs/Cargo.toml": "[package]", "rs/src/deep/x": "",
	} {
		file := filepath.Join(root, path)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(content), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	for file, want := range map[string]string{
		"a.go": "go vet ./...", "cmd/new/a.go": "go vet ./...", "web/src/a.tsx": "npx --no-install tsc --noEmit in web", "README.md": "", "a.py": "",
		"py/a/b.py": "ruff check --quiet --no-fix --output-format concise in py", "plain/a.py": "", "rs/src/deep/a.rs": "cargo check --quiet --message-format short in rs",
		"../a.go": "", "/tmp/a.go": "",
	} {
		command, ok := find(root, file)
		if ok != (want != "") || ok && command.String() != want {
			t.Errorf("%s: %q, want %q", file, command, want)
		}
	}
}

// A check runs once before the edits of a turn and once after them (D-100).
func TestChecksOfATurn(t *testing.T) {
	t.Parallel()
	setting, printed, fails := "lint {dir}", "", error(nil)
	var ran []string
	c := &Checks{Setting: func() string { return setting }, Root: t.TempDir(), Run: func(_ context.Context, command Command) (string, error) {
		ran = append(ran, command.Line)
		return printed, fails
	}}
	edit := func(files ...string) []string {
		for _, command := range c.Due(files) {
			c.Allow(command)
		}
		problems := c.RunBefore(t.Context())
		c.MarkEdited()
		return problems
	}
	edit("a/x.go", "a/y.go")
	edit("a/x.go", "b c/x.go")
	printed = "new\n"
	found, _ := c.RunAfter(t.Context())
	again, _ := c.RunAfter(t.Context())
	if want := []string{"lint a", "lint 'b c'", "lint a", "lint 'b c'"}; !slices.Equal(ran, want) || len(found) != 2 || again != nil {
		t.Errorf("ran %q, found %v, then %v", ran, found, again)
	}
	if due := c.Due([]string{"c/x"}); due != nil {
		t.Errorf("behind the checks of a turn %v is due", due)
	}
	c.BeginTurn()
	if found, _ := c.RunAfter(t.Context()); found != nil {
		t.Errorf("a turn without edits found %v", found)
	}
	edit("a/x.go")
	if found, _ := c.RunAfter(t.Context()); found != nil {
		t.Errorf("what was there before the turn is found: %v", found)
	}
	c.BeginTurn()
	fails = ErrMissing
	if problems := edit("a/x.go"); len(problems) != 1 {
		t.Errorf("problems %q", problems)
	}
	if fails = nil; c.Due([]string{"a/x.go"}) != nil {
		t.Error("a check that cannot run is due again")
	}
	for _, setting = range []string{"", "off", " "} {
		if due := c.Due([]string{"z/x.go"}); due != nil {
			t.Errorf("%q: %v", setting, due)
		}
	}
}
