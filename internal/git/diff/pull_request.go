package diff

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"agent/internal/base/lazyregexp"
	"agent/internal/git/gitcmd"
	"agent/internal/sandbox"
)

var pullRequest = lazyregexp.New(`^[1-9][0-9]{0,6}$`)

// IsPullRequest reports whether word has the form of a pull request number.
func IsPullRequest(word string) bool { return pullRequest.MatchString(word) }

// onGitHub matches the address of a repository on GitHub in all of its forms.
var onGitHub = lazyregexp.New(`^(?:https://(?:[^/@]*@)?github\.com/|(?:ssh://)?git@github\.com[:/])([\w.-]+/[\w.-]+?)(?:\.git)?/?$`)

// FetchArgs returns the arguments with which git fetches a pull request from the server of the
// remote origin. The fetch updates no branch. environ is the environment of git. If the user is
// signed in to GitHub with gh, git gets the credentials from gh. The hooks of the repository do not
// run. FetchArgs returns an error if settings in the repository's git configuration could make the
// fetch run programs. The error lists them.
func FetchArgs(ctx context.Context, root, number string, environ []string) ([]string, error) {
	keys, err := gitcmd.UnsafeKeys(ctx, root)
	if err != nil {
		return nil, fmt.Errorf("git: %w", err)
	}
	address, _ := repository{ctx, root}.run("config", "--get", "remote.origin.url")
	from, ref := "origin", "refs/pull/"+number+"/head"
	if strings.Contains(address, "gitlab") {
		ref = "refs/merge-requests/" + number + "/head"
	}
	if len(keys) > 0 {
		return nil, fmt.Errorf("can't fetch: the repository's git configuration can run programs (%s). If you trust it, run: git fetch origin %s. Then review ...FETCH_HEAD", strings.Join(keys, ", "), ref)
	}
	if strings.TrimSpace(address) == "" {
		return nil, fmt.Errorf("can't fetch pull request %s: no remote origin. Run: git remote add origin URL", number)
	}
	args := []string{"-c", "core.hooksPath=" + os.DevNull, "-c", "protocol.ext.allow=never"}
	if named := onGitHub.FindStringSubmatch(strings.TrimSpace(address)); named != nil {
		if gh := signedIn(root, environ); gh != "" {
			args = append(args, "-c", "credential.helper=", "-c", "credential.helper=!'"+gh+"' auth git-credential")
			from = "https://github.com/" + named[1] + ".git"
		}
	}
	return append(args, "fetch", "--quiet", "--no-tags", "--no-recurse-submodules", from, ref), nil
}

// signedIn returns the path of gh if it is installed outside the workspace and the user has signed
// in with it. Otherwise it returns "".
func signedIn(root string, environ []string) string {
	gh, err := sandbox.LookPath("gh", sandbox.Variable(environ, "PATH"), root)
	if err != nil || strings.Contains(gh, "'") {
		return ""
	}
	if sandbox.Variable(environ, "GH_TOKEN") != "" || sandbox.Variable(environ, "GITHUB_TOKEN") != "" {
		return gh
	}
	folder := sandbox.Variable(environ, "GH_CONFIG_DIR")
	if folder == "" {
		folder = filepath.Join(sandbox.Variable(environ, "XDG_CONFIG_HOME"), "gh")
	}
	if !filepath.IsAbs(folder) {
		folder = filepath.Join(sandbox.Variable(environ, "HOME"), ".config", "gh")
	}
	if _, err := os.Stat(filepath.Join(folder, "hosts.yml")); err != nil {
		return ""
	}
	return gh
}

// unfetched maps git's messages about a failed fetch to explanations. It lists the failures that a
// user can correct.
var unfetched = []struct {
	says *lazyregexp.Pattern
	do   string
}{
	{lazyregexp.New(`couldn't find remote ref`), "origin has no pull request %s"},
	{lazyregexp.New(`could not read (Username|Password)|Authentication failed|terminal prompts disabled|Permission denied \(publickey`), "can't read pull request %s: origin requires a login. For GitHub, run: gh auth login. If you use GH_TOKEN, add it to sandbox.allow-env"},
}

// FetchError returns the error of a failed fetch. printed is the output of git.
func FetchError(number, printed string) error {
	printed = strings.Join(strings.Fields(printed), " ")
	for _, known := range unfetched {
		if known.says.MatchString(printed) {
			return fmt.Errorf(known.do+" (%s)", number, printed)
		}
	}
	return fmt.Errorf("can't fetch pull request %s: %s", number, printed)
}

// FetchedCommit returns the ID of the commit that was fetched last.
func FetchedCommit(ctx context.Context, root string) (string, error) {
	id, err := repository{ctx, root}.run("rev-parse", "--verify", "--end-of-options", "FETCH_HEAD^{commit}")
	return strings.TrimSpace(id), err
}
