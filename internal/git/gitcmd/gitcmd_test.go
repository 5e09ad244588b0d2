package gitcmd_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"agent/internal/git/gitcmd"
	"agent/internal/testing/require"
)

// hostile holds settings of a repository that would make git run touch.
var hostile = map[string]string{
	"core.fsmonitor": "touch ran", "core.hooksPath": "hooks", "core.pager": "touch ran", "core.sshCommand": "touch ran", "core.alternateRefsCommand": "touch ran", "core.askPass": "touch ran",
	"core.editor": "touch ran", "core.worktree": "../..", "core.attributesFile": "x", "core.excludesFile": "x",
	"filter.x.clean": "touch ran", "filter.x.smudge": "touch ran", "filter.x.process": "touch ran", "diff.external": "touch ran", "diff.x.command": "touch ran", "diff.x.textconv": "touch ran",
	"merge.x.driver": "touch ran", "gpg.program": "touch ran", "gpg.ssh.program": "touch ran", "log.showSignature": "true", "alias.status": "!touch ran", "pager.log": "touch ran",
	"remote.origin.promisor": "true", "remote.origin.uploadpack": "touch ran", "remote.origin.vcs": "x", "extensions.partialClone": "origin", "extensions.worktreeConfig": "true", "protocol.ext.allow": "always",
	"credential.helper": "!touch ran", "include.path": "../x", "includeIf.gitdir:/.path": "../x", "url.ext::x.insteadOf": "x", "submodule.x.update": "!touch ran", "interactive.diffFilter": "touch ran",
	"trailer.x.command": "touch ran", "sequence.editor": "touch ran", "uploadpack.packObjectsHook": "touch ran", "browser.x.cmd": "touch ran", "difftool.x.cmd": "touch ran", "sendemail.smtpserver": "/x",
}

type repository struct {
	t   *testing.T
	dir string
}

// templates is the folder of the repository that newRepository copies.
var templates string

func TestMain(m *testing.M) {
	var err error
	if templates, err = os.MkdirTemp("", "git-test-"); err != nil {
		panic(err)
	}
	status := m.Run()
	_ = os.RemoveAll(templates)
	os.Exit(status)
}

var template = sync.OnceValue(func() error {
	cmd := exec.Command("sh", "-ec", `git init -q --template= . && mkdir .git/hooks && echo one > f.txt && git add -A && git -c user.name=t -c user.email=t@example.org commit -qm first && echo two > f.txt`)
	cmd.Dir = templates
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
})

// newRepository returns a repository with a commit and a change.
func newRepository(t *testing.T) repository {
	t.Helper()
	require.Program(t, "sh", "git")
	r := repository{t, t.TempDir()}
	if err := errors.Join(template(), os.CopyFS(r.dir, os.DirFS(templates))); err != nil {
		t.Fatal(err)
	}
	return r
}

func (r repository) git(args ...string) {
	r.t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "protocol.file.allow=always"}, args...)...)
	cmd.Dir = r.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		r.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func (r repository) write(name, content string) {
	r.t.Helper()
	path := filepath.Join(r.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o755); err != nil {
		r.t.Fatal(err)
	}
}

func (r repository) remove(name string) {
	r.t.Helper()
	if err := os.RemoveAll(filepath.Join(r.dir, name)); err != nil {
		r.t.Fatal(err)
	}
}

func (r repository) link(target, name string) {
	r.t.Helper()
	if err := os.Symlink(target, filepath.Join(r.dir, name)); err != nil {
		r.t.Fatal(err)
	}
}

func TestUnsafeKeysAcceptsGitsOwnSettings(t *testing.T) {
	t.Parallel()
	r := newRepository(t)
	r.git("remote", "add", "origin", "https://example.org/x.git")
	r.git("config", "branch.main.remote", "origin")
	r.git("config", "user.name", "x")
	if keys, err := gitcmd.UnsafeKeys(patient(t), r.dir); err != nil || len(keys) > 0 {
		t.Errorf("%q, %v", keys, err)
	}
	if keys, err := gitcmd.UnsafeKeys(patient(t), t.TempDir()); err != nil || len(keys) > 0 {
		t.Errorf("outside of a repository: %q, %v", keys, err)
	}
}

func TestUnsafeKeysFindsSettingsThatRunPrograms(t *testing.T) {
	t.Parallel()
	// Git locates the work tree before it does anything else.
	together, alone := newRepository(t), newRepository(t)
	for key, value := range hostile {
		if key == "submodule.x.update" {
			continue // git runs no command there
		}
		section, name, _ := strings.Cut(key, ".")
		if last := strings.LastIndex(name, "."); last >= 0 {
			section, name = section+` "`+name[:last]+`"`, name[last+1:]
		}
		r := together
		if key == "core.worktree" {
			r = alone
		}
		r.addTo(".git/config", "["+section+"]\n\t"+name+" = "+value+"\n")
	}
	keys, err := gitcmd.UnsafeKeys(patient(t), together.dir)
	if err != nil {
		t.Fatal(err)
	}
	for key := range hostile {
		if key != "core.worktree" && key != "submodule.x.update" && !slices.ContainsFunc(keys, func(k string) bool { return strings.EqualFold(k, key) }) {
			t.Errorf("%q are without %s", keys, key)
		}
	}
	if keys, err := gitcmd.UnsafeKeys(patient(t), alone.dir); err == nil && !slices.Contains(keys, "core.worktree") {
		t.Errorf("%q are without core.worktree", keys)
	}
}

func (r repository) addTo(name, text string) {
	r.t.Helper()
	content, err := os.ReadFile(filepath.Join(r.dir, name))
	if err != nil {
		r.t.Fatal(err)
	}
	r.write(name, string(content)+text)
}

// UnsafeKeys also reads the configuration of a nested repository, because git status reads it.
func TestUnsafeKeysReadsNestedRepositories(t *testing.T) {
	t.Parallel()
	inner, r := newRepository(t), newRepository(t)
	r.git("submodule", "--quiet", "add", inner.dir, "sub")
	if keys, err := gitcmd.UnsafeKeys(patient(t), r.dir); err != nil || len(keys) > 0 {
		t.Errorf("%q, %v", keys, err)
	}
	sub := repository{t, filepath.Join(r.dir, "sub")}
	sub.git("config", "filter.x.clean", "touch ran")
	if keys, err := gitcmd.UnsafeKeys(patient(t), r.dir); err != nil || !slices.Contains(keys, "filter.x.clean") {
		t.Errorf("%q, %v", keys, err)
	}
}

// UnsafeKeys reports a folder whose git data belongs to another repository, because git would print
// the history of that repository.
func TestUnsafeKeysReportsForeignRepositories(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		arrange func(r, other repository) string
		theirs  bool
	}{
		"its own":        {func(r, _ repository) string { return r.dir }, true},
		"a folder of it": {func(r, _ repository) string { r.write("sub/x", ""); return r.dir + "/sub" }, true},
		"a linked tree":  {func(r, _ repository) string { r.git("worktree", "add", "-q", r.dir+"-tree"); return r.dir + "-tree" }, true},
		"a moved .git": {func(r, other repository) string {
			r.git("init", "-q", "--separate-git-dir", other.dir+"/kept")
			return r.dir
		}, false},
		"a file .git": {func(r, other repository) string {
			r.remove(".git")
			r.write(".git", "gitdir: "+other.dir+"/.git\n")
			return r.dir
		}, false},
		"a link": {func(r, other repository) string {
			r.remove(".git")
			r.link(other.dir+"/.git", ".git")
			return r.dir
		}, false},
		"a common folder": {func(r, other repository) string {
			r.write(".git/commondir", other.dir+"/.git\n")
			return r.dir
		}, false},
		"objects of another": {func(r, other repository) string {
			r.write(".git/objects/info/alternates", other.dir+"/.git/objects\n")
			return r.dir
		}, false},
		"linked objects": {func(r, other repository) string {
			r.remove(".git/objects")
			r.link(other.dir+"/.git/objects", ".git/objects")
			return r.dir
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, other := newRepository(t), newRepository(t)
			keys, err := gitcmd.UnsafeKeys(patient(t), tt.arrange(r, other))
			if err != nil || slices.Contains(keys, "a git folder outside the work tree") == tt.theirs {
				t.Errorf("%q, %v", keys, err)
			}
		})
	}
}

// The variables make git ignore a folder that looks like a repository, and settings that enable a
// feature that SafeVariables disables.
func TestVariablesKeepARepositoryFromRunningPrograms(t *testing.T) {
	t.Parallel()
	for name, arrange := range map[string]func(r repository) string{
		"link to nowhere as HEAD": func(r repository) string {
			r.write("docs/objects/.k", "")
			r.write("docs/refs/.k", "")
			r.write("docs/config", "[core]\n\tbare = false\n\tworktree = .\n\tfsmonitor = \"touch ran\"\n")
			if err := os.Symlink("refs/heads/none", filepath.Join(r.dir, "docs/HEAD")); err != nil {
				r.t.Fatal(err)
			}
			return "docs"
		},
		"common folder": func(r repository) string {
			r.write("a/HEAD", "ref: refs/heads/none\n")
			r.write("a/commondir", "../b\n")
			r.write("b/objects/.k", "")
			r.write("b/refs/.k", "")
			r.write("b/config", "[core]\n\tbare = false\n\tworktree = .\n\tfsmonitor = \"touch ran\"\n")
			return "a"
		},
		"file system monitor": func(r repository) string { r.git("config", "core.fsmonitor", "touch ran"); return "." },
		"hooks": func(r repository) string {
			r.write(".git/hooks/post-index-change", "#!/bin/sh\ntouch ran\n")
			return "."
		},
		"signatures": func(r repository) string {
			r.write("gpg", "#!/bin/sh\ntouch ran\n")
			r.git("config", "log.showSignature", "true")
			r.git("config", "gpg.program", filepath.Join(r.dir, "gpg"))
			r.git("config", "alias.sign", `!git cat-file commit HEAD | sed '/^committer/a gpgsig -----BEGIN PGP SIGNATURE-----\n \n iQ\n -----END PGP SIGNATURE-----' | git hash-object -t commit -w --stdin >signed && git update-ref HEAD $(cat signed)`)
			r.git("sign")
			return "."
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRepository(t)
			dir := filepath.Join(r.dir, arrange(r))
			for _, args := range [][]string{{"status"}, {"diff"}, {"log", "-p"}, {"log", "--format=%G?"}, {"show"}, {"ls-files", "-m"}, {"describe", "--always"}} {
				cmd := exec.Command("git", args...)
				cmd.Dir = dir
				cmd.Env = append(os.Environ(), gitcmd.SafeVariables()...)
				out, _ := cmd.CombinedOutput()
				for _, ran := range []string{"ran", "docs/ran", "a/ran", "b/ran"} {
					if _, err := os.Lstat(filepath.Join(r.dir, ran)); err == nil {
						t.Fatalf("git %v ran the program\n%s", args, out)
					}
				}
			}
		})
	}
}

func TestOutput(t *testing.T) {
	t.Parallel()
	r := newRepository(t)
	out, err := gitcmd.Output(t.Context(), r.dir, "ls-files")
	if err != nil || string(out) != "f.txt\n" {
		t.Errorf("%q, %v", out, err)
	}
	var failed *exec.ExitError
	if _, err := gitcmd.Output(t.Context(), t.TempDir(), "status"); !asExit(err, &failed) || !strings.Contains(string(failed.Stderr), "not a git repository") {
		t.Errorf("%v", err)
	}
}

func asExit(err error, failed **exec.ExitError) bool {
	exit, ok := err.(*exec.ExitError)
	*failed = exit
	return ok
}

// patient returns a context with a long timeout, for a machine under load.
func patient(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	t.Cleanup(cancel)
	return ctx
}
