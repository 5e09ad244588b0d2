package plugins

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"agent/internal/words"
)

// Bounds of the files of a plugin.
const (
	maxFiles = 5000
	maxBytes = 64 << 20
)

// A Fetched is a commit of a repository, in a temporary folder.
type Fetched struct {
	Dir, Commit string
}

// Close removes the folder.
func (f Fetched) Close() error { return os.RemoveAll(f.Dir) }

// SplitCommit splits REPO@COMMIT. A repository may be OWNER/NAME of GitHub.
func SplitCommit(text string) (repository, commit string) {
	if i := strings.LastIndexByte(text, '@'); i > strings.LastIndexAny(text, "/:") && i > 0 {
		return text[:i], text[i+1:]
	}
	return text, ""
}

// address returns the address of a repository for git.
func address(repository string) string {
	_, err := os.Stat(repository)
	if err != nil && strings.Count(repository, "/") == 1 && !strings.ContainsAny(repository, `:\`) && !strings.HasPrefix(repository, ".") {
		return "https://github.com/" + repository + ".git"
	}
	return repository
}

// Fetch gets a commit of a repository, its newest one if commit is "". Nothing of the repository
// runs: there are no hooks, and links become plain files. environ is the person's environment, for
// their access to the repository.
func Fetch(ctx context.Context, environ []string, repository, commit string) (f Fetched, err error) {
	if strings.HasPrefix(repository, "-") || strings.HasPrefix(commit, "-") {
		return f, errors.New("a repository or commit does not begin with a dash")
	}
	if f.Dir, err = os.MkdirTemp("", "agent-plugin-"); err != nil {
		return f, err
	}
	git := func(args ...string) (string, error) {
		var out, said bytes.Buffer
		cmd := exec.CommandContext(ctx, "git", append([]string{"-c", "core.hooksPath=" + os.DevNull, "-c", "core.symlinks=false", "-c", "submodule.recurse=false"}, args...)...)
		cmd.Dir, cmd.Stdout, cmd.Stderr = f.Dir, &out, &said
		cmd.Env = append(environ, "GIT_ALLOW_PROTOCOL=https:ssh:git:file", "GIT_LFS_SKIP_SMUDGE=1")
		if err := cmd.Run(); err != nil {
			return "", fmt.Errorf("git %s: %s", args[0], words.Line(strings.TrimSpace(said.String()+" "+err.Error()), 400))
		}
		return strings.TrimSpace(out.String()), nil
	}
	wanted, got := commit, "FETCH_HEAD"
	if commit == "" {
		wanted = "HEAD"
	}
	_, err = git("init", "-q", ".")
	if err == nil {
		if _, err = git("fetch", "-q", "--depth=1", "--no-tags", address(repository), wanted); err != nil && commit != "" {
			// Some servers give no single commit: all of it is fetched, and the commit looked for.
			if _, all := git("fetch", "-q", "--tags", address(repository), "+refs/heads/*:refs/fetched/*"); all == nil {
				got, err = commit, nil
			}
		}
	}
	if err == nil {
		f.Commit, err = git("rev-parse", "--verify", "--end-of-options", got+"^{commit}")
	}
	if err == nil && commitIDs.MatchString(commit) && !strings.HasPrefix(f.Commit, commit) {
		err = fmt.Errorf("%s names a branch or tag there, which is now at %s; give that id if it is the one", commit, f.Commit)
	}
	if err == nil {
		_, err = git("checkout", "-q", "--detach", f.Commit)
	}
	if err != nil {
		return f, errors.Join(fmt.Errorf("%s cannot be fetched: %w", repository, err), f.Close())
	}
	return f, nil
}

// Take copies a plugin of a fetched repository to its folder in the store. It does not list it.
func (s Store) Take(f Fetched, p Plugin) error {
	to := s.Dir(p)
	if _, err := os.Stat(to); err == nil {
		return nil // it is this very commit
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	partly := to + ".new"
	if err := os.RemoveAll(partly); err != nil {
		return err
	}
	if err := copyTree(filepath.Join(f.Dir, filepath.FromSlash(p.Path)), partly); err != nil {
		return errors.Join(err, os.RemoveAll(partly))
	}
	return os.Rename(partly, to)
}

// copyTree copies the regular files of a folder.
func copyTree(from, to string) error {
	files, size := 0, int64(0)
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == ".git":
			return fs.SkipDir
		case d.IsDir():
			return os.MkdirAll(filepath.Join(to, rel), 0o700)
		case !d.Type().IsRegular():
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if files, size = files+1, size+int64(len(data)); files > maxFiles || size > maxBytes {
			return fmt.Errorf("it has more than %d files or %s", maxFiles, words.Bytes(maxBytes))
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, rel), data, 0o600|info.Mode().Perm()&0o100)
	})
}
