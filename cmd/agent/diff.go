package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// newFilesShown bounds how many files that git does not know yet are shown.
const newFilesShown = 200

// workspaceDiff is what changed in the workspace since its last commit, files that
// git does not know yet included.
func workspaceDiff(ctx context.Context, root string) (string, error) {
	git := workspaceGit{ctx, root}
	changed, err := git.run("diff", "HEAD", "--relative", "--no-color", "--no-ext-diff", "--src-prefix=a/", "--dst-prefix=b/")
	if err != nil {
		if _, missing := git.run("rev-parse", "--verify", "--quiet", "HEAD"); missing != nil {
			return "", fmt.Errorf("there is nothing to compare with: %s is not in a git repository with a commit", root)
		}
		return "", fmt.Errorf("git diff: %w", err)
	}
	created, err := git.run("ls-files", "--others", "--exclude-standard", "-z")
	if err != nil {
		return "", fmt.Errorf("git ls-files: %w", err)
	}
	var diff strings.Builder
	diff.WriteString(changed)
	for i, name := range strings.Split(strings.TrimRight(created, "\x00"), "\x00") {
		if name == "" || i == newFilesShown {
			break
		}
		file, err := git.run("diff", "--no-index", "--no-color", "--no-ext-diff", "--src-prefix=a/", "--dst-prefix=b/", "--", os.DevNull, name)
		if err != nil {
			return "", fmt.Errorf("git diff of %s: %w", name, err)
		}
		diff.WriteString(file)
	}
	return diff.String(), nil
}

// workspaceGit runs git in a folder.
type workspaceGit struct {
	ctx context.Context
	dir string
}

// run returns what git prints. That files differ is no error.
func (g workspaceGit) run(args ...string) (string, error) {
	cmd := exec.CommandContext(g.ctx, "git", append([]string{"-c", "core.quotepath=off"}, args...)...)
	cmd.Dir = g.dir
	out, err := cmd.Output()
	var failed *exec.ExitError
	if errors.As(err, &failed) && (failed.ExitCode() != 1 || len(failed.Stderr) > 0) {
		reason, _, _ := strings.Cut(strings.TrimSpace(string(failed.Stderr)), "\n")
		return "", errors.New(reason)
	}
	if err != nil && (failed == nil || args[0] != "diff") {
		return "", err
	}
	return string(out), nil
}
