// Package worktree creates a folder for one task in a repository: a git worktree on a separate
// branch, outside the repository's folder. No program of the repository runs while the worktree is
// created.
package worktree

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"agent/internal/base/fsutil"
	"agent/internal/base/humanize"
	"agent/internal/base/lazyregexp"
	"agent/internal/git/gitcmd"
	"agent/internal/sandbox"
)

// A Worktree is a git worktree for one task.
type Worktree struct {
	// Path is the folder of the worktree. Inside is the folder in it that corresponds to the folder
	// from which it was created.
	Path, Inside string
	Branch       string
	// Notes lists contents of the repository that are missing in the worktree.
	Notes []string
}

var names = lazyregexp.New(`^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$`)

// Folder returns the folder that contains all worktrees of a repository. common is the git folder
// that the worktrees share.
func Folder(cache, common string) string {
	sum := sha256.Sum256([]byte(common))
	repository := filepath.Base(strings.TrimSuffix(common, "/.git"))
	return filepath.Join(cache, "worktrees", repository+"-"+hex.EncodeToString(sum[:4]))
}

// place returns the worktree with a name for the repository that contains dir. The worktree need
// not exist.
func place(ctx context.Context, dir, cache, name string) (w Worktree, err error) {
	if !names.MatchString(name) || strings.HasSuffix(name, ".lock") || strings.Contains(name, "..") {
		return w, fmt.Errorf("invalid worktree name %q. Use 1 to 64 letters, digits, dots, dashes and underscores", name)
	}
	common, err := run(ctx, dir, "rev-parse", "--path-format=absolute", "--git-common-dir")
	if err != nil {
		return w, fmt.Errorf("%s is not in a git work tree", dir)
	}
	w.Path = filepath.Join(Folder(cache, common), name)
	w.Branch = "agent/" + name
	prefix, _ := run(ctx, dir, "rev-parse", "--show-prefix") // fails in a bare repository, which has no prefix
	w.Inside = filepath.Join(w.Path, prefix)
	return w, nil
}

// Open returns the worktree with a name. If it does not exist, Open creates it from the commit that
// is checked out in dir. Untracked files are not copied.
func Open(ctx context.Context, dir, cache, name string) (w Worktree, err error) {
	w, err = place(ctx, dir, cache, name)
	if err != nil {
		return w, err
	}
	if err := fsutil.WithLock(filepath.Dir(w.Path), func() error { return w.make(ctx, dir) }); err != nil {
		return w, fmt.Errorf("can't create the worktree %s: %w", name, err)
	}
	if _, err := os.Stat(filepath.Join(w.Path, ".gitmodules")); err == nil {
		w.Notes = append(w.Notes, "its submodules are empty. Run: git submodule update --init")
	}
	if text, err := fsutil.Read(filepath.Join(w.Path, ".gitattributes")); err == nil && strings.Contains(string(text), "filter=lfs") {
		w.Notes = append(w.Notes, "its Git LFS files are not downloaded. Run: git lfs pull")
	}
	if _, err := os.Stat(w.Inside); err != nil {
		w.Inside = w.Path
	}
	return w, nil
}

// make creates the worktree if it does not exist. If an earlier attempt was interrupted, make
// starts again, because nobody has worked in that worktree.
func (w Worktree) make(ctx context.Context, dir string) error {
	args := []string{"worktree", "add"}
	path := w.Path // git lists the path without links
	if folder, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		path = filepath.Join(folder, filepath.Base(path))
	}
	if list, err := run(ctx, dir, "worktree", "list", "--porcelain"); err == nil && isUnfinished(list, path) {
		if err := os.RemoveAll(w.Path); err != nil {
			return err
		}
		args = append(args, "--force", "--force")
	} else if _, err := os.Stat(filepath.Join(w.Path, ".git")); err == nil {
		return nil
	}
	if _, err := run(ctx, dir, "rev-parse", "--verify", "--quiet", "refs/heads/"+w.Branch); err == nil {
		return change(ctx, dir, append(args, "--", w.Path, w.Branch)...)
	}
	return change(ctx, dir, append(args, "-b", w.Branch, "--", w.Path)...)
}

// isUnfinished reports whether git's list contains an unfinished worktree at path.
func isUnfinished(list, path string) bool {
	for entry := range strings.SplitSeq(list, "\n\n") {
		lines := strings.Split(entry, "\n")
		if lines[0] == "worktree "+path && slices.Contains(lines, "locked initializing") {
			return true
		}
	}
	return false
}

// Remove removes a worktree and its branch. It returns an error for a worktree with changes, or
// with commits that no other branch has.
func Remove(ctx context.Context, dir, cache, name string) error {
	w, err := place(ctx, dir, cache, name)
	if err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(w.Path, ".git")); err != nil {
		return fmt.Errorf("no worktree %s at %s", name, w.Path)
	}
	changed, err := run(ctx, w.Path, "status", "--porcelain", "--ignored=no")
	if err != nil {
		return err
	}
	if changed != "" {
		return fmt.Errorf("%s has changes; commit or discard them first", w.Path)
	}
	others, err := run(ctx, w.Path, "for-each-ref", "--contains", "HEAD", "--format=%(refname)", "refs/heads", "refs/remotes")
	if err != nil {
		return err
	}
	if strings.TrimSpace(strings.Replace(others, "refs/heads/"+w.Branch, "", 1)) == "" {
		return fmt.Errorf("%s has commits that no other branch has; merge or push %s first", w.Path, w.Branch)
	}
	if err := change(ctx, dir, "worktree", "remove", "--", w.Path); err != nil {
		return err
	}
	return change(ctx, dir, "branch", "-D", "--", w.Branch)
}

// change runs git with permission to write, but without programs of the repository. Hooks are off,
// and so are the filters of the repository's own configuration. Filters of the user's configuration
// run.
func change(ctx context.Context, dir string, args ...string) error {
	program, err := sandbox.LookPath("git", os.Getenv("PATH"), dir)
	if err != nil {
		return err
	}
	own, _ := run(ctx, dir, "config", "--local", "--name-only", "--get-regexp", `^filter\.`) // git fails if there are no such keys
	var off []string
	for key := range strings.FieldsSeq(own) {
		if end := strings.LastIndexByte(key, '.'); end > 0 {
			off = append(off, "-c", key[:end]+".smudge=", "-c", key[:end]+".clean=", "-c", key[:end]+".process=", "-c", key[:end]+".required=false")
		}
	}
	cmd := exec.CommandContext(ctx, program, append(off, args...)...)
	cmd.Dir = dir
	cmd.Env = append(sandbox.PlainEnviron(os.Environ(), dir), gitcmd.SafeVariables()...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return errors.New(humanize.EscapeInvisible(reason(string(out))))
	}
	return nil
}

// reason returns the line of git's output that explains the error: the first line marked as an
// error, otherwise the last line.
func reason(output string) string {
	lines := strings.Split(strings.TrimSpace(output), "\n")
	for _, line := range lines {
		if why, marked := strings.CutPrefix(line, "fatal: "); marked {
			return why
		}
	}
	return lines[len(lines)-1]
}

// run returns the output of git without the final line break.
func run(ctx context.Context, dir string, args ...string) (string, error) {
	out, err := gitcmd.Output(ctx, dir, args...)
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		return "", errors.New(humanize.FirstLine(strings.TrimSpace(string(failed.Stderr))))
	}
	return strings.TrimRight(string(out), "\n"), err
}
