// Package diff compares a workspace with its last commit, or with the commit at which its history
// diverged from another branch.
package diff

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"agent/internal/base/humanize"
	"agent/internal/git/gitcmd"
	"agent/internal/sandbox"
)

const newFilesShown = 200

// WorkspaceDiff returns the changes below root since the last commit as a unified diff. It includes
// the first 200 files that git does not track. It returns an error if there is no commit.
func WorkspaceDiff(ctx context.Context, root string) (string, error) {
	repository := repository{ctx, root}
	if err := repository.mayRun(); err != nil {
		return "", err
	}
	return repository.since("HEAD", nil)
}

// Since returns the changes below root since the history of HEAD diverged from that of the commit
// base, in the form of WorkspaceDiff. Paths, if any, restrict the diff. If base is empty, Since uses
// the branch from which work usually starts, otherwise the last commit. from describes the commit
// of comparison by the name of the base and a short ID. Since returns an error if there is no such
// commit.
func Since(ctx context.Context, root, base string, paths []string) (diff, from string, err error) {
	g := repository{ctx, root}
	if err := g.mayRun(); err != nil {
		return "", "", err
	}
	commit, from, err := g.fork(base, "HEAD")
	switch {
	case err == nil:
	case base != "":
		return "", "", err
	default:
		commit, from = "HEAD", "the last commit"
	}
	diff, err = g.since(commit, paths)
	return diff, from, err
}

// Between is like Since, but compares a commit instead of the folder.
func Between(ctx context.Context, root, base, commit string, paths []string) (diff, from string, err error) {
	g := repository{ctx, root}
	if err := g.mayRun(); err != nil {
		return "", "", err
	}
	begun, from, err := g.fork(base, commit)
	if err != nil {
		return "", "", err
	}
	diff, err = g.compare(begun, commit, paths)
	return diff, from, err
}

// fork returns the commit at which the histories of of and base diverged. name describes it by the
// name of the base and a short ID.
func (g repository) fork(base, of string) (commit, name string, err error) {
	bases := []string{base}
	if base == "" {
		bases = usualBases
	}
	for _, name := range bases {
		if commit, err := g.run("merge-base", "--end-of-options", name, of); err == nil {
			commit = strings.TrimSpace(commit)
			return commit, name + " (" + commit[:min(10, len(commit))] + ")", nil
		}
	}
	return "", "", fmt.Errorf("can't compare: %q is not a commit or branch with which %s shares history", base, g.dir)
}

// compare returns the changes from the commit from to the commit to. If to is "", it returns the
// changes from that commit to the folder.
func (g repository) compare(from, to string, paths []string) (string, error) {
	commits := []string{from}
	if to != "" {
		commits = append(commits, to)
	}
	return g.run(slices.Concat([]string{"diff"}, commits, []string{"--relative", "--no-color", "--no-ext-diff", "--no-textconv", "--src-prefix=a/", "--dst-prefix=b/", "--"}, paths)...)
}

// usualBases lists the usual names of the branch from which work starts.
var usualBases = []string{"origin/HEAD", "origin/main", "origin/master", "main", "master"}

// IsCommit reports whether word names a commit of the repository of root.
func IsCommit(ctx context.Context, root, word string) bool {
	_, err := repository{ctx, root}.run("rev-parse", "--verify", "--quiet", "--end-of-options", word+"^{commit}")
	return err == nil
}

func (g repository) since(commit string, paths []string) (string, error) {
	changed, err := g.compare(commit, "", paths)
	if err != nil {
		if _, missing := g.run("rev-parse", "--verify", "--quiet", "HEAD"); missing != nil {
			return "", fmt.Errorf("nothing to compare: %s is not in a git repository, or the repository has no commit", g.dir)
		}
		return "", fmt.Errorf("git diff: %w", err)
	}
	created, err := g.run(append([]string{"ls-files", "--others", "--exclude-standard", "-z", "--"}, paths...)...)
	if err != nil {
		return "", fmt.Errorf("git ls-files: %w", err)
	}
	var diff strings.Builder
	diff.WriteString(changed)
	for i, name := range strings.Split(strings.TrimRight(created, "\x00"), "\x00") {
		if name == "" || i == newFilesShown {
			break
		}
		file, err := g.run("diff", "--no-index", "--no-color", "--no-ext-diff", "--no-textconv", "--src-prefix=a/", "--dst-prefix=b/", "--", os.DevNull, name)
		if err != nil {
			return "", fmt.Errorf("git diff failed for %s: %w", name, err)
		}
		diff.WriteString(file)
	}
	return diff.String(), nil
}

// HasChanges reports whether tracked files have changed since the last commit. It returns false if
// this cannot be determined safely.
func HasChanges(ctx context.Context, root string) bool {
	repository := repository{ctx, root}
	if repository.mayRun() != nil {
		return false
	}
	changed, err := repository.run("status", "--porcelain", "--untracked-files=no", "--ignore-submodules=all")
	return err == nil && changed != ""
}

// repository runs git in a folder.
type repository struct {
	ctx context.Context
	dir string
}

// mayRun returns an error if a comparison could run programs that the repository's configuration
// names, unless a sandbox confines them.
func (g repository) mayRun() error {
	keys, err := gitcmd.UnsafeKeys(g.ctx, g.dir)
	if err != nil {
		return fmt.Errorf("git: %w", err)
	}
	holds := sandbox.Confinement{Sandbox: sandbox.Detect()}.Guarantees(sandbox.ProfileReadOnly)
	if len(keys) > 0 && !(holds.Files && holds.Network) {
		return fmt.Errorf("the repository's git configuration can run programs (%s). To see the diff yourself, type: !git diff", strings.Join(keys, ", "))
	}
	return nil
}

// run returns the output of git. A difference between files is not an error.
func (g repository) run(args ...string) (string, error) {
	out, err := gitcmd.Output(g.ctx, g.dir, append([]string{"-c", "core.quotepath=off"}, args...)...)
	var failed *exec.ExitError
	if errors.As(err, &failed) && (failed.ExitCode() != 1 || len(failed.Stderr) > 0) {
		reason := humanize.FirstLine(string(failed.Stderr))
		return "", errors.New(reason)
	}
	if err != nil && (failed == nil || args[0] != "diff") {
		return "", err
	}
	return string(out), nil
}
