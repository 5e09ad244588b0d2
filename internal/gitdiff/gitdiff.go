// Package gitdiff shows what changed in a workspace since its last commit.
package gitdiff

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"agent/internal/git"
	"agent/internal/sandbox"
	"agent/internal/words"
)

// newFilesShown bounds how many files that git does not know yet are shown.
const newFilesShown = 200

// Workspace returns what changed below root since its last commit as a unified diff,
// files that git does not know yet included, the first 200 of them. The error says
// so when there is no commit to compare with.
func Workspace(ctx context.Context, root string) (string, error) {
	repository := repository{ctx, root}
	if err := repository.mayRun(); err != nil {
		return "", err
	}
	changed, err := repository.run("diff", "HEAD", "--relative", "--no-color", "--no-ext-diff", "--no-textconv", "--src-prefix=a/", "--dst-prefix=b/")
	if err != nil {
		if _, missing := repository.run("rev-parse", "--verify", "--quiet", "HEAD"); missing != nil {
			return "", fmt.Errorf("there is nothing to compare with: %s is not in a git repository with a commit", root)
		}
		return "", fmt.Errorf("git diff: %w", err)
	}
	created, err := repository.run("ls-files", "--others", "--exclude-standard", "-z")
	if err != nil {
		return "", fmt.Errorf("git ls-files: %w", err)
	}
	var diff strings.Builder
	diff.WriteString(changed)
	for i, name := range strings.Split(strings.TrimRight(created, "\x00"), "\x00") {
		if name == "" || i == newFilesShown {
			break
		}
		file, err := repository.run("diff", "--no-index", "--no-color", "--no-ext-diff", "--no-textconv", "--src-prefix=a/", "--dst-prefix=b/", "--", os.DevNull, name)
		if err != nil {
			return "", fmt.Errorf("git diff of %s: %w", name, err)
		}
		diff.WriteString(file)
	}
	return diff.String(), nil
}

// Changed reports whether files that git knows were changed since the last commit. It is
// false where that cannot be found out safely.
func Changed(ctx context.Context, root string) bool {
	repository := repository{ctx, root}
	if repository.mayRun() != nil {
		return false
	}
	var changed anything
	err := git.Run(ctx, root, nil, &changed, "status", "--porcelain", "--untracked-files=no", "--ignore-submodules=all")
	return err == nil && bool(changed)
}

// anything is whether anything was written. Git's list of changes may be long.
type anything bool

func (a *anything) Write(p []byte) (int, error) {
	*a = *a || len(p) > 0
	return len(p), nil
}

// repository runs git in a folder.
type repository struct {
	ctx context.Context
	dir string
}

// mayRun returns an error where comparing could run programs that the repository's
// own configuration names, and no sandbox would hold them.
func (g repository) mayRun() error {
	keys, err := git.OwnKeys(g.ctx, g.dir)
	if err != nil {
		return fmt.Errorf("git: %w", err)
	}
	if len(keys) > 0 && !sandbox.Detect().Active() {
		return fmt.Errorf("the repository's own configuration may run programs (%s), so it is not compared here; look at it with !git diff", strings.Join(keys, ", "))
	}
	return nil
}

// run returns what git prints. That files differ is no error.
func (g repository) run(args ...string) (string, error) {
	out, err := git.Output(g.ctx, g.dir, append([]string{"-c", "core.quotepath=off"}, args...)...)
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
