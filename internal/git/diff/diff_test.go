package diff

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"agent/internal/testing/require"
)

// WorkspaceDiff returns the changes since the last commit, as /diff shows them.
func TestWorkspaceDiff(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	if _, err := WorkspaceDiff(t.Context(), root); err == nil || !strings.Contains(err.Error(), "not in a git repository") {
		t.Errorf("outside of a repository: %v", err)
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@b.c"}, args...)...)
		cmd.Dir = root
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	require.Program(t, "git")
	git("init", "-q")
	write("kept.txt", "same\n")
	write("changed.txt", "old\n")
	write(".gitignore", "*.log\n")
	git("add", "-A")
	git("commit", "-q", "-m", "first")
	// The git configuration of the user must not change the format.
	git("config", "diff.noprefix", "true")
	if diff, err := WorkspaceDiff(t.Context(), root); diff != "" || err != nil {
		t.Errorf("nothing changed, but: %q, %v", diff, err)
	}

	write("changed.txt", "new\n")
	write("größe neu.txt", "created\n")
	write("noise.log", "ignored\n")
	diff, err := WorkspaceDiff(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"+++ b/changed.txt", "-old\n+new\n", "+++ b/größe neu.txt", "+created\n"} {
		if !strings.Contains(diff, want) {
			t.Errorf("%q is missing from:\n%s", want, diff)
		}
	}
	if strings.Contains(diff, "kept") || strings.Contains(diff, "noise") {
		t.Errorf("it shows what did not change:\n%s", diff)
	}
}
