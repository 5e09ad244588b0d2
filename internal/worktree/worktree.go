// Package worktree is a folder of a repository for one job: a worktree of git on a branch of
// its own, outside of the repository's folder. Nothing of the repository runs while it is made.
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

	"agent/internal/disk"
	"agent/internal/git"
	"agent/internal/pattern"
	"agent/internal/sandbox"
	"agent/internal/words"
)

// Worktree is one.
type Worktree struct {
	// Path is its folder, Inside the one in it that is the folder it was made from.
	Path, Inside string
	Branch       string
	// Notes say what of the repository it does not have.
	Notes []string
}

var names = pattern.New(`^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$`)

// place finds the worktree of a name for the repository around dir, whether it is there or not.
func place(ctx context.Context, dir, cache, name string) (w Worktree, err error) {
	if !names.MatchString(name) || strings.HasSuffix(name, ".lock") || strings.Contains(name, "..") {
		return w, fmt.Errorf("the worktree %q: use 1 to 64 letters, digits, dots, dashes and underscores", name)
	}
	common, err := run(ctx, dir, "rev-parse", "--path-format=absolute", "--git-common-dir")
	if err != nil {
		return w, fmt.Errorf("%s is in no git repository that has a work tree", dir)
	}
	sum := sha256.Sum256([]byte(common))
	repository := filepath.Base(strings.TrimSuffix(common, "/.git"))
	w.Path = filepath.Join(cache, "worktrees", repository+"-"+hex.EncodeToString(sum[:4]), name)
	w.Branch = "agent/" + name
	prefix, _ := run(ctx, dir, "rev-parse", "--show-prefix") // a bare repository has none
	w.Inside = filepath.Join(w.Path, prefix)
	return w, nil
}

// Open returns the worktree of that name, made from the commit that is checked out in dir if it
// is not there. Files that git does not track stay where they are.
func Open(ctx context.Context, dir, cache, name string) (w Worktree, err error) {
	w, err = place(ctx, dir, cache, name)
	if err != nil {
		return w, err
	}
	if err := disk.Locked(filepath.Dir(w.Path), func() error { return w.make(ctx, dir) }); err != nil {
		return w, fmt.Errorf("the worktree %s cannot be made: %w", name, err)
	}
	if _, err := os.Stat(filepath.Join(w.Path, ".gitmodules")); err == nil {
		w.Notes = append(w.Notes, "its submodules are empty: git submodule update --init")
	}
	if text, err := os.ReadFile(filepath.Join(w.Path, ".gitattributes")); err == nil && strings.Contains(string(text), "filter=lfs") {
		w.Notes = append(w.Notes, "its LFS files are pointers: git lfs pull")
	}
	if _, err := os.Stat(w.Inside); err != nil {
		w.Inside = w.Path
	}
	return w, nil
}

// make makes the worktree if it is not there. One of which the making was interrupted is made
// anew: nobody has worked in it.
func (w Worktree) make(ctx context.Context, dir string) error {
	args := []string{"worktree", "add"}
	path := w.Path // git lists it without links
	if folder, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		path = filepath.Join(folder, filepath.Base(path))
	}
	if list, err := run(ctx, dir, "worktree", "list", "--porcelain"); err == nil && begun(list, path) {
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

// begun reports whether git's list has a worktree at path that it has not finished.
func begun(list, path string) bool {
	for entry := range strings.SplitSeq(list, "\n\n") {
		lines := strings.Split(entry, "\n")
		if lines[0] == "worktree "+path && slices.Contains(lines, "locked initializing") {
			return true
		}
	}
	return false
}

// Remove removes a worktree and its branch. It refuses one with changes, or with commits that
// no other branch has.
func Remove(ctx context.Context, dir, cache, name string) error {
	w, err := place(ctx, dir, cache, name)
	if err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(w.Path, ".git")); err != nil {
		return fmt.Errorf("there is no worktree %s at %s", name, w.Path)
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

// change runs git so that it may write, and nothing of the repository runs: its hooks are off,
// and so are the filters that its own configuration names; those of the user's do.
func change(ctx context.Context, dir string, args ...string) error {
	program, err := sandbox.LookPath("git", os.Getenv("PATH"), dir)
	if err != nil {
		return err
	}
	own, _ := run(ctx, dir, "config", "--local", "--name-only", "--get-regexp", `^filter\.`) // none is an error
	var off []string
	for key := range strings.FieldsSeq(own) {
		if end := strings.LastIndexByte(key, '.'); end > 0 {
			off = append(off, "-c", key[:end]+".smudge=", "-c", key[:end]+".clean=", "-c", key[:end]+".process=", "-c", key[:end]+".required=false")
		}
	}
	cmd := exec.CommandContext(ctx, program, append(off, args...)...)
	cmd.Dir = dir
	cmd.Env = append(sandbox.PlainEnviron(os.Environ(), dir), git.Variables()...)
	if out, err := cmd.CombinedOutput(); err != nil {
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		return errors.New(words.Visible(strings.TrimPrefix(lines[len(lines)-1], "fatal: ")))
	}
	return nil
}

// run returns what git prints, without the end of the line.
func run(ctx context.Context, dir string, args ...string) (string, error) {
	out, err := git.Output(ctx, dir, args...)
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		return "", errors.New(words.FirstLine(strings.TrimSpace(string(failed.Stderr))))
	}
	return strings.TrimRight(string(out), "\n"), err
}
