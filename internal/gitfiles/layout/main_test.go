package layout

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// A worktree belongs to the repository that has registered it, whatever its own .git file contains.
func TestInMain(t *testing.T) {
	t.Parallel()
	root := Real(t.TempDir())
	repo, linked, forged := filepath.Join(root, "repo"), filepath.Join(root, "linked"), filepath.Join(root, "forged")
	for _, dir := range []string{filepath.Join(repo, "a"), forged} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"init", "-q"}, {"commit", "-q", "--allow-empty", "-m", "x"}, {"worktree", "add", "-q", "-b", "two", linked}} {
		cmd := exec.Command("git", append([]string{"-C", repo, "-c", "user.name=a", "-c", "user.email=a@b"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Skipf("git %v: %v\n%s", args, err, out)
		}
	}
	if err := os.WriteFile(filepath.Join(forged, ".git"), []byte("gitdir: "+repo+"/.git/worktrees/linked\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]string{
		linked: repo, filepath.Join(linked, "a"): filepath.Join(repo, "a"),
		repo: repo, filepath.Join(repo, "a"): filepath.Join(repo, "a"), forged: forged, root: root,
	} {
		if got := MainFolder(dir); got != want {
			t.Errorf("%s: %q, want %q", dir, got, want)
		}
	}
}
