package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"agent/internal/testing/llmtest"
	"agent/internal/testing/require"
)

// token is known to the fake gh of a test. The server of its repository requires it.
const token = "gho-sentinel-77aa"

// fakeGitHub serves a repository with the pull request 7. Like GitHub with a private repository, it
// requires the token. It returns a folder whose origin has that repository's name at github.com,
// and the variables through which git finds the server.
func fakeGitHub(t *testing.T) (work string, environ []string) {
	t.Helper()
	top, home := t.TempDir(), t.TempDir()
	git := func(dir string, args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.org"}, args...)...)
		cmd.Dir, cmd.Env = dir, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v: %s", args, err, out)
		}
	}
	work = filepath.Join(top, "work")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(work, "a.go"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	git(top, "init", "-q", "-b", "main", work)
	write("package a\n")
	git(work, "add", "-A")
	git(work, "commit", "-qm", "one")
	git(top, "clone", "-q", "--bare", work, "origin.git")
	write("package a\nvar shared int\n")
	git(work, "commit", "-qam", "pull")
	git(work, "push", "-q", filepath.Join(top, "origin.git"), "HEAD:refs/pull/7/head")
	git(work, "reset", "-q", "--hard", "HEAD~1")
	git(filepath.Join(top, "origin.git"), "update-server-info")
	files := http.FileServer(http.Dir(top))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, password, _ := r.BasicAuth(); password != token {
			w.Header().Set("WWW-Authenticate", "Basic")
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		files.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	git(work, "remote", "add", "origin", "https://github.com/a/b.git")
	config := filepath.Join(home, ".gitconfig")
	if err := os.WriteFile(config, []byte("[url \""+server.URL+"/origin.git\"]\n\tinsteadOf = https://github.com/a/b.git\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return work, []string{"HOME=" + home, "GIT_CONFIG_GLOBAL=" + config, "GORACE=" + noRaceSleep}
}

// installGh puts a fake gh into a folder of PATH and logs its user in. The fake runs a script to
// answer git.
func installGh(t *testing.T, script string, signedIn bool) (environ []string) {
	t.Helper()
	bin, config := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "gh"), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if signedIn {
		if err := os.WriteFile(filepath.Join(config, "hosts.yml"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return []string{"PATH=" + bin + ":" + os.Getenv("PATH"), "GH_CONFIG_DIR=" + config}
}

// The program fetches a pull request of a private repository with the login of gh. Without a login,
// with an expired one, or for a number that does not exist, it prints the next step.
func TestReviewOfAPrivatePullRequest(t *testing.T) {
	t.Parallel()
	if !require.Unix {
		t.Skip("the fake gh is a shell script")
	}
	const (
		gives  = `[ "$1 $2 $3" = "auth git-credential get" ] && cat >/dev/null && echo username=x && echo "password=`
		out    = `echo "You are not logged into any GitHub hosts. To log in, run: gh auth login" >&2; exit 1`
		signIn = "origin requires a login. For GitHub, run: gh auth login"
	)
	alone, inside := []string{"review", "--fetch", "--json"}, []string{"--approval-mode", "full-auto", "--allow-outside", "run_shell_command(git *)", "-p"}
	for name, tt := range map[string]struct {
		gh       string
		signedIn bool
		variable string
		number   string
		args     []string
		want     string
	}{
		"signed in":                        {gh: gives + token + `"`, signedIn: true, number: "7", args: alone},
		"signed in, inside":                {gh: gives + token + `"`, signedIn: true, number: "7", args: inside},
		"by a variable":                    {gh: gives + `$GH_TOKEN"`, variable: token, number: "7", args: alone},
		"by a variable that is hidden":     {gh: gives + `$GH_TOKEN"`, variable: token, number: "7", args: inside, want: signIn},
		"by a variable that is not hidden": {gh: gives + `$GH_TOKEN"`, variable: token, number: "7", args: append([]string{"--set", "sandbox.allow-env=GH_TOKEN"}, inside...)},
		"no such pull":                     {gh: gives + token + `"`, signedIn: true, number: "8", args: alone, want: "origin has no pull request 8"},
		"no such pull, inside":             {gh: gives + token + `"`, signedIn: true, number: "8", args: inside, want: "origin has no pull request 8"},
		"run out":                          {gh: out, signedIn: true, number: "7", args: alone, want: signIn},
		"run out, inside":                  {gh: out, signedIn: true, number: "7", args: inside, want: signIn},
		"another token":                    {gh: gives + `old"`, signedIn: true, number: "7", args: alone, want: signIn},
		"not signed in":                    {gh: gives + token + `"`, number: "7", args: alone, want: signIn},
		"no gh":                            {number: "7", args: alone, want: signIn},
		"no gh, inside":                    {number: "7", args: inside, want: signIn},
		"not agreed to":                    {gh: gives + token + `"`, signedIn: true, number: "7", args: []string{"review", "--json"}, want: "Add --fetch"},
		"not agreed to, inside":            {gh: gives + token + `"`, signedIn: true, number: "7", args: []string{"-p"}, want: "git"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			work, environ := fakeGitHub(t)
			path := []string{"PATH=" + os.Getenv("PATH")}
			if tt.gh != "" {
				path = installGh(t, tt.gh, tt.signedIn)
			}
			if tt.variable != "" {
				path = append(path, "GH_TOKEN="+tt.variable)
			}
			server := llmtest.New(t, llmtest.Say(`{"findings":[{"file":"a.go","severity":"error","title":"it races","detail":"d","quote":"var shared int"}]}`))
			what := tt.number
			if tt.args[len(tt.args)-1] == "-p" {
				what = "/review " + what
			}
			cmd := exec.CommandContext(t.Context(), os.Args[0], append(tt.args[:len(tt.args):len(tt.args)], what, "-m", "m")...)
			cmd.Args[0], cmd.Dir = "agent", work
			cmd.Env = append(append(environ, path...), "TMPDIR="+t.TempDir(), "OPENAI_API_KEY="+secret, "OPENAI_BASE_URL="+server.URL)
			said, err := cmd.CombinedOutput()
			text := strings.Join(strings.Fields(string(said)), " ")
			if strings.Contains(text, token) {
				t.Error("the token is shown")
			}
			if fine := tt.want == ""; fine != (err == nil) || fine != strings.Contains(text, "it races") || fine != (len(server.Requests()) > 0) || !strings.Contains(text, tt.want) {
				t.Errorf("%v: %s", err, text)
			}
		})
	}
}
