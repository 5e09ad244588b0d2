package worktree

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// If git is killed while it creates a worktree, an incomplete worktree stays registered. It is
// created again. A complete worktree is never changed.
func TestBegunWorktree(t *testing.T) {
	t.Parallel()
	one := t.TempDir()
	sh(t, one, "git init -q -b main --template= .; echo a > a; git add .; git commit -qm one")
	for name, kill := range map[string]string{
		"checked out in part": "rm a; printf initializing > \"$(git rev-parse --git-path locked)\"",
		"without .git":        "printf initializing > \"$(git rev-parse --git-path locked)\"; rm -rf .git a",
		"without its folder":  "printf initializing > \"$(git rev-parse --git-path locked)\"; rm -rf \"$PWD\"",
		"locked by a person":  "git worktree lock .; echo mine > mine",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			base, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			root, cache := filepath.Join(base, "r"), filepath.Join(base, "cache")
			if err := os.CopyFS(root, os.DirFS(one)); err != nil {
				t.Fatal(err)
			}
			first, err := Open(t.Context(), root, cache, "job")
			if err != nil {
				t.Fatal(err)
			}
			sh(t, first.Path, kill)
			again, err := Open(t.Context(), root, cache, "job")
			if err != nil || again.Path != first.Path || again.Branch != first.Branch {
				t.Fatalf("%+v, %v", again, err)
			}
			if text, err := os.ReadFile(filepath.Join(again.Path, "a")); err != nil || string(text) != "a\n" {
				t.Errorf("a holds %q, %v", text, err)
			}
			sh(t, again.Path, `test -z "$(git status --porcelain -- a)"; test "$(git branch --show-current)" = agent/job; ! grep -q initializing "$(git rev-parse --git-path locked)" 2>/dev/null`)
			if _, err := os.Stat(filepath.Join(again.Path, "mine")); name == "locked by a person" && err != nil {
				t.Error("a file of a finished worktree is gone")
			}
		})
	}
}

// The error names the lock file that git did not remove, so that the user can delete it.
func TestWorktreeWithALock(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	sh(t, root, "git init -q -b main --template= .; echo a > a; git add .; git commit -qm one; mkdir -p .git/refs/heads/agent; touch .git/refs/heads/agent/wt.lock")
	if _, err := Open(t.Context(), root, t.TempDir(), "wt"); err == nil || !strings.Contains(err.Error(), filepath.Join("refs", "heads", "agent", "wt.lock")) {
		t.Error(err)
	}
}
