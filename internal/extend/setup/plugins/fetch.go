package plugins

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"agent/internal/base/humanize"
	"agent/internal/base/tempdir"
)

// A FetchedCommit is a fetched commit of a repository, in a temporary folder.
type FetchedCommit struct {
	// Dir contains the manifests of the repository's root. Write adds other files.
	Dir, Commit string

	// objects is the folder of the repository's objects. environ is the environment of git.
	objects   string
	temporary *tempdir.Dir
	environ   []string
	entries   []entry
}

// Close removes the folder.
func (f FetchedCommit) Close() error { return f.temporary.Remove() }

// SplitCommit splits REPO@COMMIT. The repository may be OWNER/NAME on GitHub.
func SplitCommit(text string) (repository, commit string) {
	if i := strings.LastIndexByte(text, '@'); i > strings.LastIndexAny(text, "/:") && i > 0 {
		return text[:i], text[i+1:]
	}
	return text, ""
}

func address(repository string) string {
	_, err := os.Stat(repository)
	if err != nil && strings.Count(repository, "/") == 1 && !strings.ContainsAny(repository, `:\`) && !strings.HasPrefix(repository, ".") {
		return "https://github.com/" + repository + ".git"
	}
	return repository
}

// local lists the variables that select a repository for git. git sets them in a hook or an alias.
// Inherited, they would make git change the user's own repository.
var local = []string{
	"GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_QUARANTINE_PATH",
	"GIT_NAMESPACE", "GIT_PREFIX", "GIT_IMPLICIT_WORK_TREE", "GIT_GRAFT_FILE", "GIT_SHALLOW_FILE", "GIT_REPLACE_REF_BASE", "GIT_ATTR_SOURCE", "GIT_TEMPLATE_DIR",
}

// Fetch fetches a commit of a repository, and writes the plugin manifests in the commit. If commit
// is "", it fetches the latest one. Nothing of the repository runs. git creates no work tree, so
// attributes and filters do not change the content of files. environ is the user's environment,
// which provides access to the repository.
func Fetch(ctx context.Context, environ []string, repository, commit string) (f FetchedCommit, err error) {
	if strings.HasPrefix(repository, "-") || strings.HasPrefix(commit, "-") {
		return f, errors.New("a repository or commit can't begin with a dash")
	}
	f.temporary = tempdir.New(os.TempDir(), time.Now())
	if err := f.temporary.Make(); err != nil {
		return f, err
	}
	f.Dir, f.objects = filepath.Join(f.temporary.Path(), "files"), filepath.Join(f.temporary.Path(), "objects")
	f.environ = append(slices.DeleteFunc(slices.Clone(environ), func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		return slices.Contains(local, name)
	}), "GIT_ALLOW_PROTOCOL=https:ssh:git:file")
	if err = os.Mkdir(f.Dir, 0o700); err == nil {
		err = os.Mkdir(f.objects, 0o700)
	}
	if err == nil {
		err = f.fetch(ctx, repository, commit)
	}
	if err == nil {
		err = f.list(ctx)
	}
	if err == nil {
		_, err = f.Write(ctx, path.Dir(manifestFile), filepath.Join(f.Dir, path.Dir(manifestFile)))
	}
	if err != nil {
		return f, errors.Join(fmt.Errorf("can't fetch %s: %w", repository, err), f.Close())
	}
	return f, nil
}

// fetch fetches the objects of a commit and determines its full ID.
func (f *FetchedCommit) fetch(ctx context.Context, repository, commit string) error {
	wanted, got := commit, "FETCH_HEAD"
	if commit == "" {
		wanted = "HEAD"
	}
	_, err := f.git(ctx, nil, "init", "-q", "--bare", "--template=", ".")
	if err == nil {
		if _, err = f.git(ctx, nil, "fetch", "-q", "--depth=1", "--no-tags", "--no-recurse-submodules", address(repository), wanted); err != nil && commit != "" {
			// Some servers do not serve single commits. All branches are then fetched, and the
			// commit is looked up.
			if _, failed := f.git(ctx, nil, "fetch", "-q", "--tags", "--no-recurse-submodules", address(repository), "+refs/heads/*:refs/fetched/*"); failed == nil {
				got, err = commit, nil
			}
		}
	}
	var id []byte
	if err == nil {
		id, err = f.git(ctx, nil, "rev-parse", "--verify", "--end-of-options", got+"^{commit}")
	}
	f.Commit = strings.TrimSpace(string(id))
	if err == nil && commitIDs.MatchString(commit) && !strings.HasPrefix(f.Commit, commit) {
		err = fmt.Errorf("%s is a branch or tag, now at commit %s. To use that commit, give its ID", commit, f.Commit)
	}
	return err
}

// git runs git in the folder of the objects and returns its output.
func (f FetchedCommit) git(ctx context.Context, in io.Reader, args ...string) ([]byte, error) {
	var out, said bytes.Buffer
	cmd := exec.CommandContext(ctx, "git", append([]string{
		"-c", "core.hooksPath=" + os.DevNull, "-c", "core.fsmonitor=false", "-c", "gc.auto=0", "-c", "maintenance.auto=false", "--git-dir=.",
	}, args...)...)
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = f.objects, f.environ, in, &out, &said
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("git %s: %s", args[0], humanize.Line(strings.TrimSpace(said.String()+" "+err.Error()), 400))
	}
	return out.Bytes(), nil
}

// Install writes a plugin of a fetched repository to its folder in the store. It does not add the
// plugin to the list.
func (s Store) Install(ctx context.Context, f FetchedCommit, p Plugin) error {
	to := s.whole(p)
	if _, err := os.Stat(to); err == nil {
		return nil // the commit is already installed
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	partly, err := os.MkdirTemp(filepath.Dir(to), ".new-")
	if err != nil {
		return err
	}
	if _, err = f.Write(ctx, p.Path, partly); err == nil {
		err = os.Rename(partly, to)
	}
	if err != nil {
		err = errors.Join(err, os.RemoveAll(partly))
		if _, there := os.Stat(to); there == nil {
			return nil // another program has installed it meanwhile
		}
	}
	return err
}
