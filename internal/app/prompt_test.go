package app

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/testing/require"
	"agent/prompts"
)

// The prompt contains the branch, the changed files and the latest commits from the start of the
// session.
func TestGitState(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ended, end := context.WithCancel(t.Context())
	end()
	if got := gitState(dir)(); got != nil {
		t.Errorf("without a repository: %+v", got)
	}
	run := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=u", "-c", "user.email=u@example.com", "-c", "commit.gpgsign=false"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatal(err, string(out))
		}
	}
	require.Program(t, "git")
	run("init", "-q", "-b", "work")
	if got := gitState(dir)(); got == nil || !got.Late && cmp.Diff(&prompts.Git{Branch: "work"}, got) != "" {
		t.Errorf("without a commit: %+v", got)
	}
	for _, subject := range []string{"one", "two", "three", "four"} {
		run("commit", "-q", "--allow-empty", "-m", subject)
	}
	for _, name := range []string{"a", "b"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(&prompts.Git{Branch: "work", Late: true}, askGit(ended, dir, "work")); diff != "" {
		t.Errorf("git is late: %s", diff)
	}
	state := gitState(dir)
	got := state()
	if got != nil && got.Late {
		if diff := cmp.Diff(&prompts.Git{Branch: "work", Late: true}, got); diff != "" {
			t.Error(diff)
		}
		t.Skip("git takes longer than a prompt waits")
	}
	if diff := cmp.Diff(&prompts.Git{Branch: "work", Changed: 2, Subjects: []string{"four", "three", "two"}}, got); diff != "" {
		t.Error(diff)
	}
	run("commit", "-q", "--allow-empty", "-m", "five")
	if diff := cmp.Diff(got, state()); diff != "" {
		t.Errorf("asked again: %s", diff)
	}
}
