package sandbox_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agent/internal/sandbox"
)

// namedByGit maps paths that git executes or reads to the repository's or the user's configuration
// that names them.
var namedByGit = map[string]struct{ config, user string }{
	"tools/hooks/pre-commit":      {"[core]\n\thooksPath = tools/hooks\n", ""},
	".hooks/pre-commit":           {"[core] hooksPath = \"./.hooks\"\n", ""},
	"scripts/git/pre-commit":      {"", "[core]\n\thooksPath = scripts/git\n"},
	"pre-commit":                  {"[core]\n\thooksPath = .\n", ""},
	"dev.gitconfig":               {"[include]\n\tpath = ../dev.gitconfig\n", ""},
	"sub/if.gitconfig":            {"[includeIf \"gitdir:x]y\"]\n\tpath = ../sub/if.gitconfig\n", ""},
	"behind/a/pre-commit":         {"[core]\n\thooksPath = behind/a ; of ours\n", ""},
	"behind/b.gitconfig":          {"[include] path = \"../behind/b.gitconfig\"# x\n", ""},
	"behind/c # d":                {"[core]\n\tsshCommand = x\n[include]\n\tpath = \"../behind/c # d\" ; e\n", ""},
	"template/hooks/post-rewrite": {"", "[init]\n\ttemplateDir = template\n"},
	"scripts/pager":               {"[pager]\n\tfetch = ./scripts/pager\n", ""},
	"scripts/merged":              {"[alias]\n\turl = !./scripts/merged\n", ""},
	"scripts/ssh":                 {"", "[core]\n\tsshCommand = ./scripts/ssh -x\n"},
	"scripts/gpg":                 {"[gpg \"ssh\"]\n\tprogram = ./scripts/gpg\n", ""},
	"scripts/helper":              {"[credential \"https://h\"]\n\thelper = \"!f() { ./scripts/helper; }; f\"\n", ""},
	"scripts/external":            {"[diff]\n\texternal = ./scripts/external\n", ""},
	"scripts/clean.sh":            {"[filter \"z\"]\n\tclean = ./scripts/clean.sh %f\n", ""},
	"scripts/fsm.sh":              {"[core]\n\tfsmonitor = scripts/fsm.sh\n", ""},
	"scripts/alias":               {"[alias]\n\tx = !sh scripts/alias\n", ""},
	"scripts/pack":                {"[remote \"o\"]\n\tuploadpack = ./scripts/pack\n", ""},
	"scripts/merge":               {"[merge \"m\"]\n\tdriver = \"env X=1 ./scripts/merge %O\" # x\n", ""},
	"scripts/continued/editor":    {"[core]\n\teditor = ./scripts/\\\ncontinued/editor\n", ""},
}

// IsRunByGit recognizes paths that git executes or reads because a configuration names them, wherever
// they are, and also before they exist (A2).
func TestGitRuns(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	made := h.listing()
	for path, c := range namedByGit {
		h.again(made)
		user := h.configure(c.config, c.user)
		for range 2 {
			if !sandbox.IsRunByGit(filepath.Join(h.workspace, path), []string{user}) {
				t.Errorf("%s can be edited unasked", path)
			}
			write(t, filepath.Join(h.workspace, path), "# mine")
		}
	}
}

// configure adds to the configuration of the workspace, and returns the configuration of the user.
func (h *house) configure(config, user string) string {
	h.t.Helper()
	path := filepath.Join(h.home, ".gitconfig")
	write(h.t, path, user)
	addTo(h.t, h.workspace+"/.git/config", config)
	return path
}

// A command cannot change these files by any route (A2).
func TestPathsInGitsConfiguration(t *testing.T) {
	t.Parallel()
	eachBackend(t, func(t *testing.T, s *sandbox.Sandbox) {
		h := newHouse(t)
		made := h.listing()
		for _, exists := range []bool{true, false} {
			for _, how := range []string{"echo evil >> %[1]s; chmod +x %[1]s", "echo evil > x; mv x %[1]s", "mv %[2]s old-%[3]d; mkdir -p %[2]s; echo evil > %[1]s", "rm -f %[1]s; echo evil > x; echo evil > ../x; ln -sf $PWD/x %[1]s"} {
				h.again(made)
				folders, lines := "mkdir -p", ""
				var config, user string
				for path, c := range namedByGit {
					if exists {
						write(t, filepath.Join(h.workspace, path), "# mine")
					}
					config, user = config+c.config, user+c.user
					file, folder := "'"+path+"'", "'"+filepath.Dir(path)+"'"
					folders += " " + folder
					lines += fmt.Sprintf(how, file, folder, len(lines)) + "\n"
				}
				policy := h.surveyed(sandbox.ProfileWork)
				policy.GitConfigurations = []string{h.configure(config, user)}
				h.run(s, policy, folders+"\n"+lines)
				for path := range namedByGit {
					content, err := os.ReadFile(filepath.Join(h.workspace, path))
					if exists && (err != nil || string(content) != "# mine") || !exists && err == nil && strings.Contains(string(content), "evil") {
						t.Errorf("%s, there before: %v: %s: it holds %q, %v", path, exists, how, content, err)
					}
				}
			}
		}
	})
}

func addTo(t *testing.T, path, text string) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	write(t, path, string(content)+text)
}

// Paths that the configuration only names as data are not protected.
func TestDataInGitsConfiguration(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	write(t, h.workspace+"/main", "x")
	addTo(t, h.workspace+"/.git/config", "[remote \"origin\"]\n\turl = ../sibling/f\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n[branch \"main\"]\n\tmerge = a/f\n[filter \"lfs\"]\n\tclean = git-lfs clean -- %f\n[alias]\n\tco = checkout a\n[user]\n\tname = b/f\n")
	for _, path := range []string{"main", "a/f", "b/f", "checkout", "new.go"} {
		if sandbox.IsRunByGit(filepath.Join(h.workspace, path), nil) {
			t.Errorf("%s counts as run by git", path)
		}
	}
}

// Folders of submodules and work trees that a command creates are checked when it ends. The same
// applies to the remaining steps of a rebase (A2).
func TestNewFoldersInGit(t *testing.T) {
	t.Parallel()
	eachBackend(t, func(t *testing.T, s *sandbox.Sandbox) {
		h := nestedHouse(t)
		made := h.listing()
		for line, want := range map[string]int{
			`git init -q --bare .git/modules/m && git -C .git/modules/m config core.fsmonitor evil`:                                                        1,
			`git init -q --bare .git/modules/a/b/c/d/e/f/g && echo evil > .git/modules/a/b/c/d/e/f/g/hooks/post-checkout`:                                  1,
			`git init -q --bare .git/modules/m && git init -q --bare .git/modules/m/objects/x && echo evil > .git/modules/m/objects/x/hooks/post-checkout`: 1,
			`git init -q --bare .git/modules/m && echo /tmp > .git/modules/m/commondir`:                                                                    1,
			`git init -q --bare .git/modules/m`: 0,
			`git worktree add -q tree`:          0,
			`git worktree add -q tree && printf '[core]\nfsmonitor = evil\n' > .git/worktrees/tree/config.worktree`:  1,
			`mkdir .git/rebase-merge && printf 'pick 1\nexec evil\n' > .git/rebase-merge/git-rebase-todo`:            1,
			`mkdir .git/rebase-merge && printf ' \tx evil\n' > .git/rebase-merge/git-rebase-todo`:                    1,
			`mkdir .git/rebase-merge && printf 'pick 1\n# x\nbreak\n' > .git/rebase-merge/git-rebase-todo`:           0,
			`mkdir .git/rebase-apply && printf 'x evil\n' > .git/rebase-apply/git-rebase-todo`:                       1,
			`mkdir -p .git/rebase-merge && ln -s ../../a/f .git/rebase-merge/git-rebase-todo && echo 'x evil' > a/f`: 1,
			`mkdir -p inner/.git/rebase-merge && printf 'x evil\n' > inner/.git/rebase-merge/git-rebase-todo`:        1,
		} {
			h.again(made)
			if got := h.run(s, h.surveyed(sandbox.ProfileWork), line); got.exit != 0 || len(got.undone) != want {
				t.Errorf("%s: %+v, want %d undone", line, got, want)
			}
		}
		h.again(made)
		write(t, h.workspace+"/.git/rebase-merge/git-rebase-todo", "exec make test\npick 1\n")
		if got := h.run(s, h.surveyed(sandbox.ProfileWork), `printf 'pick 2\nexec make test\n' > .git/rebase-merge/git-rebase-todo`); len(got.undone) != 0 {
			t.Errorf("what the user wants to run is undone: %+v", got)
		}
		// Only the added steps are removed. The rebase that the user has started continues.
		todo := h.workspace + "/.git/rebase-merge/git-rebase-todo"
		got := h.run(s, h.surveyed(sandbox.ProfileWork), `printf 'exec evil\npick 3\n\tx  evil 2\n' >> .git/rebase-merge/git-rebase-todo`)
		if left, err := os.ReadFile(todo); err != nil || len(got.undone) != 1 || string(left) != "pick 2\nexec make test\npick 3\n" {
			t.Errorf("%+v left %q of what the rebase has to do (%v)", got, left, err)
		}
	})
}
