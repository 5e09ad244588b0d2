package diff

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// repositoryWithPull creates a repository whose remote has pull request 7. It returns the folder and a function
// that runs git in it.
func repositoryWithPull(t *testing.T) (root string, git func(args ...string) string) {
	t.Helper()
	root = t.TempDir()
	git = func(args ...string) string {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", root, "-c", "user.name=a", "-c", "user.email=a@b.c"}, args...)...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	remote := t.TempDir()
	git("init", "-q", "--bare", remote)
	git("init", "-q")
	git("commit", "-q", "--allow-empty", "-m", "first")
	git("remote", "add", "origin", remote)
	git("push", "-q", "origin", "HEAD:refs/pull/7/head")
	return root, git
}

// Fetching a pull request runs no program that the repository configures. Each such setting has no
// effect, or an error names it.
func TestFetchRunsNothingOfTheRepository(t *testing.T) {
	t.Parallel()
	marker := filepath.Join(t.TempDir(), "ran")
	evil := filepath.Join(t.TempDir(), "evil")
	if err := os.WriteFile(evil, []byte("#!/bin/sh\ntouch "+marker+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	included := filepath.Join(t.TempDir(), "included")
	if err := os.WriteFile(included, []byte("[core]\n\tsshCommand = "+evil+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ key, value string }{
		{"core.sshCommand", evil},
		{"core.gitProxy", evil},
		{"core.askPass", evil},
		{"core.fsmonitor", evil},
		{"core.hooksPath", filepath.Dir(evil)},
		{"core.alternateRefsCommand", evil},
		{"url.ext::" + evil + ".insteadOf", "x"},
		{"credential.helper", "!" + evil},
		{"credential.https://github.com.helper", "!" + evil},
		{"remote.origin.uploadpack", evil},
		{"remote.origin.vcs", "evil"},
		{"protocol.ext.allow", "always"},
		{"include.path", included},
		{"uploadpack.packObjectsHook", evil},
		{"fetch.recurseSubmodules", "true"},
	} {
		root, git := repositoryWithPull(t)
		git("config", c.key, c.value)
		_, err := FetchArgs(t.Context(), root, "7", os.Environ())
		if err == nil || !strings.Contains(strings.ToLower(err.Error()), strings.ToLower(strings.Split(c.key, ".")[0])) {
			t.Errorf("%s: %v", c.key, err)
		}
	}
	root, git := repositoryWithPull(t)
	hooks := filepath.Join(root, ".git", "hooks")
	for _, hook := range []string{"reference-transaction", "post-merge", "post-checkout", "pre-auto-gc"} {
		if err := os.Symlink(evil, filepath.Join(hooks, hook)); err != nil {
			t.Fatal(err)
		}
	}
	fetch := func() error {
		args, err := FetchArgs(t.Context(), root, "7", os.Environ())
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("git", args...)
		cmd.Dir = root
		return cmd.Run()
	}
	if err := fetch(); err != nil {
		t.Fatal(err)
	}
	_, err := os.Stat(marker)
	if id, fetchErr := FetchedCommit(t.Context(), root); fetchErr != nil || id != git("rev-parse", "HEAD") || err == nil {
		t.Errorf("fetched %s, %v; a hook ran: %v", id, fetchErr, err == nil)
	}
	if err := exec.Command("git", "-C", root, "-c", "core.hooksPath=/dev/null", "config", "remote.origin.url", "ext::"+evil).Run(); err != nil {
		t.Fatal(err)
	}
	if err := fetch(); err == nil {
		t.Error("it fetched from a program")
	}
	if _, err := os.Stat(marker); err == nil {
		t.Error("a program of the repository ran")
	}
}

// A user who is logged in with gh does not need a login for git. The pull request of a GitHub
// repository is fetched with the login of gh alone. A gh program in the workspace is not used.
func TestFetchWithGh(t *testing.T) {
	t.Parallel()
	bin := t.TempDir()
	gh := filepath.Join(bin, "gh")
	if err := os.WriteFile(gh, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		url  string
		env  []string
		with bool
	}{
		{"git@github.com:a/b.git", []string{"GH_TOKEN=x"}, true},
		{"https://github.com/a/b", []string{"GITHUB_TOKEN=x"}, true},
		{"ssh://git@github.com/a/b.git", []string{"GH_TOKEN=x"}, true},
		{"https://github.com/a/b", nil, false},
		{"https://github.com.example.org/a/b", []string{"GH_TOKEN=x"}, false},
		{"https://example.org/github.com/b", []string{"GH_TOKEN=x"}, false},
	} {
		root, git := repositoryWithPull(t)
		git("remote", "set-url", "origin", c.url)
		args, err := FetchArgs(t.Context(), root, "12", append([]string{"PATH=" + bin + ":" + os.Getenv("PATH"), "HOME=" + t.TempDir()}, c.env...))
		if err != nil {
			t.Fatal(err)
		}
		helper := "credential.helper=!'" + gh + "' auth git-credential"
		if with := slices.Contains(args, helper) && slices.Contains(args, "https://github.com/a/b.git"); with != c.with || args[len(args)-1] != "refs/pull/12/head" {
			t.Errorf("%s with %v: %q", c.url, c.env, args)
		}
	}
	root, git := repositoryWithPull(t)
	git("remote", "set-url", "origin", "https://github.com/a/b")
	own := filepath.Join(root, "gh")
	if err := os.WriteFile(own, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	args, err := FetchArgs(t.Context(), root, "12", []string{"PATH=" + root + ":" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "GH_TOKEN=x"})
	if err != nil || slices.ContainsFunc(args, func(arg string) bool { return strings.Contains(arg, own) }) {
		t.Errorf("%q, %v", args, err)
	}
}

// FetchArgs returns an error for a repository without a remote, before git runs.
func TestFetchNeedsAnOrigin(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	if err := exec.Command("git", "init", "-q", root).Run(); err != nil {
		t.Fatal(err)
	}
	if args, err := FetchArgs(t.Context(), root, "12", nil); err == nil || !strings.Contains(err.Error(), "git remote add origin URL") {
		t.Errorf("%v, %v", args, err)
	}
}
