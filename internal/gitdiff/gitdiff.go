// Package gitdiff shows what changed in a workspace since its last commit.
package gitdiff

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"agent/internal/words"
)

// newFilesShown bounds how many files that git does not know yet are shown.
const newFilesShown = 200

// Workspace returns what changed below root since its last commit as a unified diff,
// files that git does not know yet included, the first 200 of them. The error says
// so when there is no commit to compare with.
func Workspace(ctx context.Context, root string) (string, error) {
	git := repository{ctx, root}
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

// repository runs git in a folder.
type repository struct {
	ctx context.Context
	dir string
}

// run returns what git prints. That files differ is no error.
func (g repository) run(args ...string) (string, error) {
	cmd := exec.CommandContext(g.ctx, "git", append([]string{"-c", "core.quotepath=off"}, args...)...)
	cmd.Dir = g.dir
	out, err := cmd.Output()
	var failed *exec.ExitError
	if errors.As(err, &failed) && (failed.ExitCode() != 1 || len(failed.Stderr) > 0) {
		reason := words.FirstLine(string(failed.Stderr))
		return "", errors.New(reason)
	}
	if err != nil && (failed == nil || args[0] != "diff") {
		return "", err
	}
	return string(out), nil
}
