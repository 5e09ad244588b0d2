package worktree

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"agent/internal/testing/require"
)

func sh(t *testing.T, dir, line string) {
	t.Helper()
	require.Line(t, line)
	cmd := exec.Command("sh", "-ec", line)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@example.org", "GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@example.org", "GIT_CONFIG_GLOBAL=/dev/null")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", line, err, out)
	}
}

// For each unusual repository, Open creates a worktree or explains why it cannot. It runs no program
// of the repository, loses no data, and leaves no files behind.
func TestUnusualRepositories(t *testing.T) {
	t.Parallel()
	one := t.TempDir() // most cases start from a copy of it
	sh(t, one, "git init -q -b main --template=; mkdir sub .git/hooks; echo a > a; echo b > sub/b; git add .; git commit -qm one")
	for name, tc := range map[string]struct{ make, from, fails, note string }{
		"usual":            {},
		"subfolder":        {from: "sub"},
		"detached":         {make: "git checkout -q --detach"},
		"a hook":           {make: "printf '#!/bin/sh\\ntouch ../ran\\n' > .git/hooks/post-checkout; chmod +x .git/hooks/post-checkout"},
		"a filter":         {make: "git config filter.x.smudge 'touch ../ran; cat'; echo '* filter=x' > .gitattributes; git add .; git commit -qm two"},
		"bare":             {make: "git clone -q --bare . ../bare", from: "../bare", fails: "is not in a git work tree"},
		"in a worktree":    {make: "git worktree add -q -b other ../other", from: "../other"},
		"the branch is":    {make: "git branch agent/job"},
		"submodules":       {make: "echo '[submodule \"x\"]' > .gitmodules; git add .; git commit -qm two", note: "submodules"},
		"lfs":              {make: "echo '*.bin filter=lfs' > .gitattributes; git add .; git commit -qm two", note: "LFS"},
		"no commit":        {make: "git init -q -b main", fails: "can't create"},
		"no repository":    {fails: "is not in a git work tree"},
		"a branch is used": {make: "git worktree add -q -b agent/job ../used", fails: "can't create"},
		"a branch agent":   {make: "git branch agent", fails: "can't create"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			base, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			root, cache := filepath.Join(base, "r"), filepath.Join(base, "cache")
			if strings.HasPrefix(name, "no ") {
				err = os.Mkdir(root, 0o700)
			} else {
				err = os.CopyFS(root, os.DirFS(one))
			}
			if err != nil {
				t.Fatal(err)
			}
			if tc.make != "" {
				sh(t, root, tc.make)
			}
			from := filepath.Join(root, tc.from)
			w, err := Open(t.Context(), from, cache, "job")
			if tc.fails != "" {
				if err == nil || !strings.Contains(err.Error(), tc.fails) {
					t.Errorf("got %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if again, err := Open(t.Context(), from, cache, "job"); err != nil || again.Inside != w.Inside {
				t.Errorf("again: %+v, %v", again, err)
			}
			if !strings.Contains(strings.Join(w.Notes, "; "), tc.note) || tc.from == "sub" && filepath.Base(w.Inside) != "sub" {
				t.Errorf("%+v", w)
			}
			if _, err := os.Stat(filepath.Join(base, "ran")); err == nil {
				t.Error("something of the repository ran")
			}
			if name == "usual" || name == "a filter" || name == "in a worktree" { // other cases have no influence on lost data
				sh(t, w.Path, "echo new > new")
				if err := Remove(t.Context(), from, cache, "job"); err == nil || !strings.Contains(err.Error(), "has changes") {
					t.Errorf("with changes: %v", err)
				}
				sh(t, w.Path, "git add -f new; git commit -qm new")
				if err := Remove(t.Context(), from, cache, "job"); err == nil || !strings.Contains(err.Error(), "no other branch") {
					t.Errorf("with commits: %v", err)
				}
				sh(t, w.Path, "git branch kept")
			}
			if err := Remove(t.Context(), from, cache, "job"); err != nil {
				t.Errorf("removing: %v", err)
			}
			if _, err := os.Stat(w.Path); err == nil {
				t.Error("it is still there")
			}
			if err := Remove(t.Context(), from, cache, "job"); err == nil {
				t.Error("it is removed twice")
			}
		})
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"", "..", "a/b", "-b", ".x", "a..b", "x.lock", strings.Repeat("a", 65), "a b"} {
		if _, err := Open(t.Context(), t.TempDir(), t.TempDir(), name); err == nil || !strings.Contains(err.Error(), "Use 1 to 64") {
			t.Errorf("%q: %v", name, err)
		}
	}
}
