package gitcmd

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"agent/internal/base/fsutil"
	"agent/internal/base/lazyregexp"
	"agent/internal/gitfiles/layout"
)

// harmlessKeys matches the configuration keys of a repository that make git neither run a program
// nor read from another place. Git prints the first and last parts of keys in lower case.
var harmlessKeys = lazyregexp.New(`^(` + strings.Join([]string{
	`core\.(repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol|safecrlf|quotepath|abbrev|longpaths|protecthfs|protectntfs|untrackedcache|commentchar|whitespace|sharedrepository|compression|bigfilethreshold|checkstat|trustctime)`,
	`extensions\.(objectformat|refstorage|compatobjectformat)`,
	`user\.(name|email|signingkey|useconfigonly)`, `author\.(name|email)`, `committer\.(name|email)`,
	`remote\..*\.(url|pushurl|fetch|push|tagopt|prune|prunetags|mirror|skipdefaultupdate|skipfetchall|gh-resolved)`, `remote\.pushdefault`,
	`branch\..*\.(remote|pushremote|merge|rebase|description|autosetupmerge|autosetuprebase|vscode-merge-base|gk-.*|github-pr-.*)`, `branch\.(autosetupmerge|autosetuprebase|sort)`,
	`submodule\..*\.(url|active|branch|update|ignore|shallow)`, `submodule\.(active|recurse|fetchjobs)`,
	`pull\.(rebase|ff|twohead|octopus)`, `push\.(default|autosetupremote|followtags)`, `fetch\.(prune|prunetags|parallel|writecommitgraph)`,
	`init\.defaultbranch`, `advice\..*`, `color\..*`, `column\..*`, `rerere\.(enabled|autoupdate)`,
	`merge\.(conflictstyle|ff|renamelimit|renames|stat|log|verifysignatures)`, `rebase\.(autosquash|autostash|updaterefs|stat)`,
	`diff\.(algorithm|renames|renamelimit|context|interhunkcontext|mnemonicprefix|noprefix|colormoved|submodule|indentheuristic|wordregex|ignoresubmodules|statgraphwidth)`,
	`log\.(date|decorate|abbrevcommit|follow|mailmap)`, `format\.(pretty|signoff)`, `status\..*`, `index\.(version|threads|skiphash)`, `feature\.(manyfiles|experimental)`,
	`gc\.(auto|autodetach|pruneexpire|reflogexpire|reflogexpireunreachable|worktreepruneexpire)`, `pack\.(threads|windowmemory|depth|window)`, `commit\.(gpgsign|verbose|cleanup|status)`, `tag\.(gpgsign|sort|forcesignannotated)`,
	`lfs\.(repositoryformatversion|.*\.access|.*\.locksverify)`, `gui\..*`, `gitg\..*`, `i18n\..*`, `blame\.(date|showroot|showemail|coloring|markignoredlines|markunblamablelines)`, `maintenance\.(auto|strategy)`,
}, `|`) + `)$`)

// checkTime is the time limit of UnsafeKeys if its context has no deadline.
const checkTime = 5 * time.Second

// maxRepositories is the number of repositories inside a repository that are checked.
const maxRepositories = 20

// UnsafeKeys returns the configuration keys that are not known to be harmless. It checks the
// repository that contains dir and the repositories inside it. It returns none outside a
// repository, and an error if the check fails.
func UnsafeKeys(ctx context.Context, dir string) ([]string, error) {
	if _, bounded := ctx.Deadline(); !bounded {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, checkTime)
		defer cancel()
	}
	places, err := line(ctx, dir, "rev-parse", "--show-toplevel", "--absolute-git-dir", "--git-common-dir")
	if err != nil {
		return nil, ctx.Err() // there is no repository, or git refuses it
	}
	found, err := unknownKeys(ctx, dir)
	if err != nil {
		return nil, err
	}
	top, own, ok := strings.Cut(places, "\n")
	own, common, _ := strings.Cut(own, "\n")
	if !ok || !belongs(own, fsutil.ResolveIn(dir, common), top) {
		found = append(found, "a git folder outside the work tree")
	}
	if layout.TopFolder(layout.Real(dir)) == top {
		// Every submodule has this key, because its git folder is in the outer repository.
		found = slices.DeleteFunc(found, func(key string) bool { return key == "core.worktree" })
	}
	repositories, err := trackedRepositories(ctx, top)
	if err != nil {
		return nil, err
	}
	inner := 0
	for _, name := range repositories {
		folder := filepath.Join(top, filepath.FromSlash(name))
		if _, err := os.Lstat(filepath.Join(folder, ".git")); err != nil {
			continue // the submodule is not checked out
		}
		if inner++; inner > maxRepositories {
			return append(found, "too many nested repositories to check"), nil
		}
		keys, err := UnsafeKeys(ctx, folder)
		if err != nil {
			return nil, err
		}
		found = append(found, keys...)
	}
	return found, nil
}

// trackedRepositories returns the names of the repositories that the index of a work tree
// contains, such as submodules.
func trackedRepositories(ctx context.Context, top string) (names []string, err error) {
	entries := &Entries{Each: func(entry []byte) {
		if about, name, ok := bytes.Cut(entry, []byte("\t")); ok && bytes.HasPrefix(about, []byte("160000 ")) {
			names = append(names, string(name))
		}
	}}
	err = Run(ctx, top, nil, entries, "ls-files", "--stage", "-z")
	return names, err
}

func unknownKeys(ctx context.Context, dir string) ([]string, error) {
	out, err := Output(ctx, dir, "config", "--local", "--includes", "--name-only", "--list", "-z")
	if err != nil {
		return nil, err
	}
	var unknown []string
	for key := range strings.SplitSeq(string(out), "\x00") {
		if key != "" && !harmlessKeys.MatchString(strings.ToLower(key)) {
			unknown = append(unknown, key)
		}
	}
	return unknown, nil
}

func line(ctx context.Context, dir string, args ...string) (string, error) {
	out, err := Output(ctx, dir, args...)
	return strings.TrimSuffix(string(out), "\n"), err
}
