package consent

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"agent/internal/extend/setup/trustedfile"
	"agent/internal/rules"
)

// permissionsGround has a home folder with a configuration and repositories.
type permissionsGround struct{ home, config string }

func newPermissionsGround(t *testing.T) permissionsGround {
	t.Helper()
	home := real(t.TempDir())
	g := permissionsGround{home, filepath.Join(home, ".config", "agent")}
	g.folder(t, g.config)
	return g
}

func (g permissionsGround) folder(t *testing.T, path string) string {
	t.Helper()
	if err := os.MkdirAll(path, 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

// repository makes a repository in a subfolder of the home folder.
func (g permissionsGround) repository(t *testing.T, name string) string {
	t.Helper()
	dir := g.folder(t, filepath.Join(g.home, name))
	g.git(t, dir, "init", "-q")
	g.git(t, dir, "-c", "user.name=x", "-c", "user.email=x@y.z", "commit", "-q", "--allow-empty", "-m", "x")
	return dir
}

func (g permissionsGround) git(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "HOME="+g.home, "GIT_CONFIG_GLOBAL=/dev/null")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %s: %v\n%s", args, err, out)
	}
}

func (g permissionsGround) open(workspace string) *Permissions {
	return OpenPermissions(trustedfile.Locations{Config: g.config, Home: g.home, Workspace: workspace}, func() time.Time { return time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC) })
}

func (g permissionsGround) keep(t *testing.T, workspace string, add ...rules.Permission) *Permissions {
	t.Helper()
	p := g.open(workspace)
	if err := p.Add(add...); err != nil {
		t.Fatal(err)
	}
	return p
}

// A permission is valid in the repository, in its folders and in its work trees (D-123). It is not
// valid in another repository that replaces it, nor after the repository was moved.
func TestPermissionsBelongToARepository(t *testing.T) {
	t.Parallel()
	g := newPermissionsGround(t)
	repo := g.repository(t, "repo")
	tree := filepath.Join(g.home, "tree")
	g.git(t, repo, "worktree", "add", "-q", tree)
	sub := g.folder(t, filepath.Join(repo, "sub"))
	other := g.repository(t, "other")
	liar := g.folder(t, filepath.Join(g.home, "liar"))
	if err := os.WriteFile(filepath.Join(liar, ".git"), []byte("gitdir: "+filepath.Join(repo, ".git", "worktrees", "tree")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	g.keep(t, repo, rules.Permission{Rule: "run_shell_command(make)"})
	holds := func(workspace string) bool { return len(g.open(workspace).Permissions()) == 1 }
	for workspace, want := range map[string]bool{repo: true, sub: true, tree: true, other: false, liar: false} {
		if got := holds(workspace); got != want {
			t.Errorf("it holds in %s: %t", workspace, got)
		}
	}
	moved := filepath.Join(g.home, "moved")
	if err := os.Rename(repo, moved); err != nil {
		t.Fatal(err)
	}
	if holds(moved) {
		t.Error("it holds at another path")
	}
	if g.repository(t, "repo"); holds(repo) {
		t.Error("another repository at the path inherits it")
	}
}

// No permission is stored for the home folder, or if the configuration is in the repository.
func TestPermissionsAreNotKeptEverywhere(t *testing.T) {
	t.Parallel()
	g := newPermissionsGround(t)
	if g.open(g.home) != nil {
		t.Error("they are kept for the home folder")
	}
	dotfiles := g.repository(t, "dotfiles")
	within := g.folder(t, filepath.Join(dotfiles, "agent"))
	if OpenPermissions(trustedfile.Locations{Config: within, Home: g.home, Workspace: dotfiles}, time.Now) != nil {
		t.Error("they are kept in the repository")
	}
	link := filepath.Join(g.home, "linked")
	if err := os.Symlink(within, link); err != nil {
		t.Fatal(err)
	}
	if OpenPermissions(trustedfile.Locations{Config: link, Home: g.home, Workspace: dotfiles}, time.Now) != nil {
		t.Error("they are kept in the repository through a link to the folder")
	}
	if err := os.WriteFile(filepath.Join(within, allowedFile), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(within, allowedFile), filepath.Join(g.config, allowedFile)); err != nil {
		t.Fatal(err)
	}
	if g.open(dotfiles) != nil {
		t.Error("they are kept in the repository through a link to the file")
	}
}

// The stored paths are relative to the top of the repository. They refer to the same file from each
// folder.
func TestPermissionsAboutFilesMeanTheSameEverywhere(t *testing.T) {
	t.Parallel()
	g := newPermissionsGround(t)
	repo := g.repository(t, "repo")
	sub := g.folder(t, filepath.Join(repo, "sub"))
	g.keep(t, sub, rules.Permission{Edits: "Makefile"}, rules.Permission{Edits: "*.go"}, rules.Permission{OutsideCommand: "npm ci"}, rules.Permission{OutsideCommand: "npm i", Directory: "web"},
		rules.Permission{Rule: "write_file(docs/**)", Directory: "."})
	for workspace, want := range map[string]string{
		sub:                                   "Makefile *.go npm ci@ npm i@web write_file(docs/**)@.",
		repo:                                  "sub/Makefile *.go npm ci@sub npm i@sub/web",
		g.folder(t, filepath.Join(repo, "s")): "*.go",
	} {
		var got []string
		for _, k := range g.open(workspace).Permissions() {
			said := k.Edits + k.OutsideCommand + k.Rule
			if k.Edits == "" {
				said += "@" + k.Directory
			}
			got = append(got, said)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %q", workspace, got, want)
		}
	}
	p := g.open(repo)
	if err := p.Remove(rules.Permission{Edits: "sub/Makefile"}); err != nil || len(g.open(sub).Permissions()) != 4 {
		t.Errorf("%v, left %+v", err, g.open(sub).Permissions())
	}
}

// Two sessions store, use and revoke permissions at the same time, and neither undoes a change of
// the other.
func TestPermissionsOfTwoSessions(t *testing.T) {
	t.Parallel()
	g := newPermissionsGround(t)
	repo := g.repository(t, "repo")
	const each = 12
	rule := func(n int) rules.Permission {
		return rules.Permission{Rule: "run_shell_command(make " + string(rune('a'+n)) + ")"}
	}
	g.keep(t, repo, rule(25))
	var wg sync.WaitGroup
	for n := range 2 * each {
		wg.Go(func() {
			p := g.open(repo)
			if err := p.Add(rule(n)); err != nil {
				t.Error(err)
			}
			p.CountUse(rule(25))
			if n%2 == 0 {
				if err := p.Remove(rule(n)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	kept := g.open(repo).Permissions()
	if len(kept) != each+1 {
		t.Errorf("%d are kept, want %d: %+v", len(kept), each+1, kept)
	}
	if used := kept[0]; used.Count != 2*each || used.Used != "2026-11-23" || used.Since != "2026-11-23" {
		t.Errorf("%+v", used)
	}
}

// A session immediately sees permissions that another session stores or revokes. Storing the same
// permission again changes nothing.
func TestPermissionsAreReadAgain(t *testing.T) {
	t.Parallel()
	g := newPermissionsGround(t)
	repo := g.repository(t, "repo")
	one, two := g.open(repo), g.open(repo)
	if len(one.Permissions()) != 0 {
		t.Fatal("something is kept")
	}
	make1 := rules.Permission{Rule: "run_shell_command(make)"}
	for range 2 {
		if err := two.Add(make1); err != nil || len(one.Permissions()) != 1 {
			t.Fatalf("%v: %+v", err, one.Permissions())
		}
	}
	if err := two.Remove(make1); err != nil || len(one.Permissions()) != 0 {
		t.Fatalf("%v: %+v", err, one.Permissions())
	}
}

// Other entries of the file stay. An unreadable file permits nothing and is not replaced.
func TestPermissionsAndTheRestOfTheFile(t *testing.T) {
	t.Parallel()
	g := newPermissionsGround(t)
	repo := g.repository(t, "repo")
	file := filepath.Join(g.config, allowedFile)
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(`{"localServers":["http://x"],"setup":[]}`)
	p := g.keep(t, repo, rules.Permission{Edits: "*.go"})
	if text, _ := os.ReadFile(file); !strings.Contains(string(text), "http://x") {
		t.Errorf("%s", text)
	}
	if info, _ := os.Stat(file); info.Mode().Perm() != 0o600 {
		t.Errorf("mode %s", info.Mode())
	}
	write(`{"permissions": nonsense`)
	if kept := p.Permissions(); len(kept) > 0 {
		t.Errorf("a broken file permits %+v", kept)
	}
	if err := p.Add(rules.Permission{Edits: "*.md"}); err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("keeping in a broken file: %v", err)
	}
	if text, _ := os.ReadFile(file); string(text) != `{"permissions": nonsense` {
		t.Errorf("it was replaced: %s", text)
	}
	if kept := slices.Clone(g.open(repo).Permissions()); len(kept) > 0 {
		t.Errorf("%+v", kept)
	}
}
