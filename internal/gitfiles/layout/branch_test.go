package layout

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Branch returns the branch that git reports, in a work tree, in a subfolder and in a linked work
// tree.
func TestBranch(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	repo, below := filepath.Join(root, "repo"), filepath.Join(root, "repo", "a", "b")
	linked := filepath.Join(root, "linked")
	if err := os.MkdirAll(below, 0o700); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", repo, "-c", "user.name=a", "-c", "user.email=a@b"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Skipf("git %v: %v\n%s", args, err, out)
		}
	}
	if got := Branch(repo); got != "" {
		t.Errorf("no repository: %q", got)
	}
	run("init", "-q", "-b", "feature/one")
	if got := Branch(below); got != "feature/one" {
		t.Errorf("before the first commit: %q", got)
	}
	run("commit", "-q", "--allow-empty", "-m", "x")
	run("worktree", "add", "-q", "-b", "two", linked)
	run("checkout", "-q", "--detach")
	for dir, want := range map[string]string{repo: "", below: "", linked: "two", root: ""} {
		if got := Branch(dir); got != want {
			t.Errorf("%s: %q, want %q", dir, got, want)
		}
	}
}
