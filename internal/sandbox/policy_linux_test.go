package sandbox_test

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agent/internal/sandbox"
)

// A protected path that does not exist yet is removed if a command creates it, except files that
// git itself creates. Without mounts, changes are undone too.
func TestProtectedFilesStayAsTheyAre(t *testing.T) {
	t.Parallel()
	eachBackend(t, func(t *testing.T, s *sandbox.Sandbox) {
		h := newHouse(t)
		got := h.run(s, h.policy(sandbox.ProfileWork), `mkdir .vscode; echo x > .vscode/tasks.json; echo x > .git/commondir; echo kept > kept`)
		if got.exit != 0 || len(got.undone) != 2 {
			t.Errorf("%+v", got)
		}
		for _, path := range []string{"/.vscode", "/.git/commondir"} {
			if _, err := os.Lstat(h.workspace + path); err == nil {
				t.Errorf("%s is still there", path)
			}
		}
		if _, err := os.Lstat(h.workspace + "/kept"); err != nil {
			t.Error(err)
		}
		if got := h.run(s, h.policy(sandbox.ProfileWork), `echo y > kept`); len(got.undone) != 0 {
			t.Errorf("%+v", got)
		}
	})
}

func TestANewRepositoryHasNoHooks(t *testing.T) {
	t.Parallel()
	eachBackend(t, func(t *testing.T, s *sandbox.Sandbox) {
		h := newHouse(t)
		for line, want := range map[string]int{
			`git init -q . && echo x > f && git add f && git commit -qm x`:                0,
			`git init -q . && echo x > .git/hooks/post-checkout`:                          1,
			`git init -q . && git config core.fsmonitor 'touch x'`:                        1,
			`git init -q . && git config remote.origin.url 'ext::sh -c x'`:                1,
			`git init -q . && printf '[include]\npath = ../x\n' >> .git/config`:           1,
			`git init -q . && printf '[core]\nfsmonitor = x\n' > .git/config`:             1,
			`git init -q . && git config user.name x && git remote add o https://x.org/y`: 0,
		} {
			h.workspace = t.TempDir()
			if got := h.run(s, h.policy(sandbox.ProfileWork), line); got.exit != 0 || len(got.undone) != want {
				t.Errorf("%s: %+v, want %d undone", line, got, want)
			}
		}
	})
}

// Git also works in a linked work tree and in a submodule. A file .git that names an unrelated
// folder does not allow access to that folder.
func TestWorkTreesElsewhere(t *testing.T) {
	t.Parallel()
	eachBackend(t, func(t *testing.T, s *sandbox.Sandbox) {
		h := newHouse(t)
		linked := h.home + "/linked"
		h.git("worktree", "add", "-q", linked)
		h.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", h.workspace, "sub")
		main := h.workspace
		for _, workspace := range []string{linked, main + "/sub"} {
			h.workspace = workspace
			got := h.run(s, h.policy(sandbox.ProfileWork), `echo more >> a/f && git commit -qam second && git log --oneline`)
			if got.exit != 0 || !strings.Contains(got.output, "second") {
				t.Errorf("in %s: %+v", workspace, got)
			}
			common, err := exec.Command("git", "-C", workspace, "rev-parse", "--path-format=absolute", "--git-path", "hooks").Output()
			if err != nil {
				t.Fatal(err)
			}
			hooks := trimmed(string(common))
			h.run(s, h.policy(sandbox.ProfileWork), `echo x > `+hooks+`/pre-commit`)
			if _, err := os.Lstat(hooks + "/pre-commit"); err == nil {
				t.Errorf("in %s: a hook can be made in %s", workspace, hooks)
			}
		}
		h.workspace = t.TempDir()
		write(t, h.workspace+"/.git", "gitdir: "+h.home+"/.ssh\n")
		if got := h.run(s, h.policy(sandbox.ProfileWork), `echo x > `+h.home+`/.ssh/new; cat `+h.home+`/.ssh/id_ed25519`); got.exit == 0 {
			t.Errorf("%+v", got)
		}
		if _, err := os.Lstat(h.home + "/.ssh/new"); err == nil {
			t.Error("a file .git opened a folder outside")
		}
	})
}

func TestFurtherFoldersCanBeOpenedAndHidden(t *testing.T) {
	t.Parallel()
	eachBackend(t, func(t *testing.T, s *sandbox.Sandbox) {
		h := newHouse(t)
		policy := h.policy(sandbox.ProfileWork)
		policy.AllowWrite = []string{h.home + "/sibling", h.home + "/not-there"}
		policy.DenyRead = append(policy.DenyRead, h.home+"/.bashrc", h.workspace+"/secret")
		write(t, h.workspace+"/secret/f", "hunter2")
		if got := h.run(s, policy, `echo x > ../sibling/new`); got.exit != 0 {
			t.Errorf("%+v", got)
		}
		for _, line := range []string{`cat ~/.bashrc`, `cat secret/f`} {
			if got := h.run(s, policy, line); got.exit == 0 {
				t.Errorf("%s: %+v", line, got)
			}
		}
	})
}

// Files that are created between two commands are visible to the second.
func TestChangesBetweenCommands(t *testing.T) {
	t.Parallel()
	eachBackend(t, func(t *testing.T, s *sandbox.Sandbox) {
		h := newHouse(t)
		for _, profile := range []sandbox.Profile{sandbox.ProfileReadOnly, sandbox.ProfileWork} {
			h.run(s, h.policy(profile), `true`)
			write(t, h.home+"/late-"+profile.String(), "late")
			write(t, h.home+"/.kube/"+profile.String(), "a key")
			if got := h.run(s, h.policy(profile), `cat ~/late-`+profile.String()); got.output != "late" {
				t.Errorf("%+v", got)
			}
			if got := h.run(s, h.policy(profile), `cat ~/.kube/*`); strings.Contains(got.output, "a key") {
				t.Errorf("%+v", got)
			}
			if err := os.RemoveAll(h.workspace + "/b"); err != nil {
				t.Fatal(err)
			}
			write(t, h.workspace+"/b/late", "late")
			if got := h.run(s, h.policy(profile), `cat b/late`); got.output != "late" {
				t.Errorf("%+v", got)
			}
		}
	})
}

func TestNetworkCanBeAllowed(t *testing.T) {
	t.Parallel()
	eachBackend(t, func(t *testing.T, s *sandbox.Sandbox) {
		h := newHouse(t)
		policy := h.policy(sandbox.ProfileWork)
		policy.Network = true
		if got := h.run(s, policy, `SANDBOX_TEST_TOOL=dial $SELF tcp $TCP`); got.exit != 0 {
			t.Errorf("%+v", got)
		}
		policy.Profile = sandbox.ProfileReadOnly
		if got := h.run(s, policy, `SANDBOX_TEST_TOOL=dial $SELF tcp $TCP`); got.exit == 0 {
			t.Errorf("looking has a network: %+v", got)
		}
	})
}

// A workspace can be reached through a link, be the home folder, contain the temporary folder, or
// be below /tmp.
func TestUnusualWorkspaces(t *testing.T) {
	t.Parallel()
	eachBackend(t, func(t *testing.T, s *sandbox.Sandbox) {
		h := newHouse(t)
		link := t.TempDir() + "/link"
		if err := os.Symlink(h.workspace, link); err != nil {
			t.Fatal(err)
		}
		policy := h.policy(sandbox.ProfileWork)
		policy.Workspace = link
		h.workspace = link
		if got := h.run(s, policy, `echo x > new && test "$(pwd -P)" != / && cat new`); got.exit != 0 {
			t.Errorf("by a link: %+v", got)
		}
		h.workspace = h.home
		policy = h.policy(sandbox.ProfileWork)
		policy.Temp = h.home + "/temp"
		write(t, policy.Temp+"/f", "x")
		if got := h.run(s, policy, `echo x > sibling/new && cat .ssh/id_ed25519`); got.exit == 0 || strings.Contains(got.output, "a key") {
			t.Errorf("home: %+v", got)
		}
		if _, err := os.Lstat(h.home + "/sibling/new"); err != nil {
			t.Error(err)
		}
		if got := h.run(s, policy, `echo x > $TMPDIR/new`); got.exit != 0 {
			t.Errorf("home: %+v", got)
		}
	})
}

func TestCachesAreOfTheWorkspace(t *testing.T) {
	t.Parallel()
	eachBackend(t, func(t *testing.T, s *sandbox.Sandbox) {
		h := newHouse(t)
		policy := h.policy(sandbox.ProfileWork)
		policy.Caches = filepath.Join(h.home, ".cache/agent/x")
		got := h.run(s, policy, `mkdir -p $GOCACHE && touch $GOCACHE/x && echo $GOCACHE`)
		if got.exit != 0 || trimmed(got.output) != policy.Caches+"/go-build" {
			t.Errorf("%+v", got)
		}
	})
}

// Commands read the user's caches and write to a layer above them. The next command, the next
// session and a parallel session see the same layer. The user's files stay unchanged.
func TestCachesHaveLayers(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	cache := h.home + "/.cache/go-build"
	before := map[string]string{"warm": "mine", "gone": "mine", "deep/f": "mine"}
	for name, content := range before {
		write(t, filepath.Join(cache, name), content)
	}
	s := use(t, sandbox.Namespaces)
	policy := h.withCaches(sandbox.ProfileWork)
	if got := h.run(s, policy, `echo -n ${GOCACHE:-kept}`); got.output != "kept" {
		t.Skip("layers do not work here: ", got.output)
	}
	cd := `cd ` + cache + ` && `
	if got := h.run(s, policy, cd+`cat warm && echo planted > warm && echo planted > new && rm gone && echo planted > deep/f && mv deep/f deep/g`); got.exit != 0 || got.output != "mine" {
		t.Fatalf("%+v", got)
	}
	const seen = `cat warm new deep/g && test ! -e gone && echo more >> new`
	for name, session := range map[string]*sandbox.Sandbox{"the next command": s, "another session": use(t, sandbox.Namespaces)} {
		if got := h.run(session, policy, cd+seen); got.exit != 0 || !strings.HasPrefix(got.output, "planted\nplanted\n") {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if got := h.run(s, h.withCaches(sandbox.ProfileReadOnly), cd+`cat warm && ! touch x`); got.exit != 0 {
		t.Errorf("a command that only reads: %+v", got)
	}
	if got := h.run(s, policy, `echo x > `+policy.Caches+`.layers/1/x`); got.exit == 0 {
		t.Errorf("the layers are writable: %+v", got)
	}
	s.KillHolders()
	if got := h.run(s, policy, cd+`echo planted > warm`); got.exit != 0 {
		t.Errorf("after the end of the holder: %+v", got)
	}
	after := map[string]string{}
	for _, name := range []string{"warm", "gone", "deep/f", "deep/g", "new", "x"} {
		if content, err := os.ReadFile(filepath.Join(cache, name)); err == nil {
			after[name] = string(content)
		}
	}
	if !maps.Equal(before, after) {
		t.Errorf("the user's cache has become %v", after)
	}
}

// A cache has no layer if the user hides it, makes it writable, or works in it.
func TestCachesWithoutLayers(t *testing.T) {
	t.Parallel()
	eachBackend(t, func(t *testing.T, s *sandbox.Sandbox) {
		h := newHouse(t)
		cache := h.home + "/.cache/go-build"
		write(t, cache+"/key", "hidden")
		for name, change := range map[string]func(*sandbox.Policy){
			"hidden":              func(p *sandbox.Policy) { p.DenyRead = append(p.DenyRead, cache) },
			"hidden with others":  func(p *sandbox.Policy) { p.DenyRead = append(p.DenyRead, h.home+"/.cache") },
			"hidden in part":      func(p *sandbox.Policy) { p.DenyRead = append(p.DenyRead, cache+"/key") },
			"writable":            func(p *sandbox.Policy) { p.AllowWrite = []string{cache} },
			"layers are writable": func(p *sandbox.Policy) { p.AllowWrite = []string{p.Caches + ".layers"} },
		} {
			policy := h.withCaches(sandbox.ProfileWork)
			if err := os.MkdirAll(policy.Caches+".layers", 0o700); err != nil {
				t.Fatal(err)
			}
			change(&policy)
			got := h.run(s, policy, `echo $GOCACHE; cat `+cache+`/key $GOCACHE/key`)
			if first, _, _ := strings.Cut(got.output, "\n"); first != policy.Caches+"/go-build" {
				t.Errorf("%s: %+v", name, got)
			}
			if strings.HasPrefix(name, "hidden") && strings.Contains(got.output, "\nhidden") {
				t.Errorf("%s: %+v", name, got)
			}
		}
	})
}

// Commands without layers use a copy of the user's caches. The copy is made once and is writable.
func TestCachesAreCopied(t *testing.T) {
	t.Parallel()
	eachBackend(t, func(t *testing.T, s *sandbox.Sandbox) {
		h := newHouse(t)
		write(t, h.home+"/.cache/go-build/00/warm", "mine")
		if err := os.Symlink(h.home+"/.ssh/id_ed25519", h.home+"/.cache/go-build/00/link"); err != nil {
			t.Fatal(err)
		}
		policy := h.withCaches(sandbox.ProfileWork)
		write(t, policy.Caches+".layers/1", "no folder, so that there are no layers")
		if got := h.run(s, policy, `echo $GOCACHE; cd $GOCACHE/00 && cat warm; ls; echo planted > warm`); got.output != policy.Caches+"/go-build\nminewarm\n" || got.exit != 0 || len(got.cold) > 0 {
			t.Errorf("the first: %+v", got)
		}
		if got := h.run(s, policy, `cat $GOCACHE/00/warm; rm -r $GOCACHE; ln -s $HOME/.cache/go-build $GOCACHE`); got.output != "planted\n" {
			t.Errorf("the second: %+v", got)
		}
		if got := h.run(s, policy, `cd $GOCACHE/00; cat warm; echo planted > warm`); !strings.HasPrefix(got.output, "mine") || got.exit == 0 {
			t.Errorf("the third: %+v", got)
		}
		if left, _ := filepath.Glob(policy.Caches + ".layers/copy-*"); len(left) > 0 {
			t.Errorf("it left %q", left)
		}
	})
}

// Whatever a command does to a cache, the user's own cache stays unchanged. A program that runs
// outside the sandbox later can therefore not use data of a command.
func TestUserCachesStay(t *testing.T) {
	t.Parallel()
	eachBackend(t, func(t *testing.T, s *sandbox.Sandbox) {
		for name, spoil := range map[string]func(*sandbox.Policy){"layers": func(*sandbox.Policy) {}, "no layers": func(p *sandbox.Policy) { write(t, p.Caches+".layers/1", "") }} {
			h := newHouse(t)
			policy := h.withCaches(sandbox.ProfileWork)
			var folders []string
			for _, c := range policy.UserCaches {
				folders = append(folders, c.Path)
				for _, file := range []string{"tool", "deep/tool", "read-only/tool"} {
					write(t, filepath.Join(c.Path, file), "#!/bin/sh\necho mine\n")
				}
				if err := os.Chmod(filepath.Join(c.Path, "read-only"), 0o555); err != nil {
					t.Fatal(err)
				}
			}
			before := snapshotOf(t, folders)
			spoil(&policy)
			const attack = `
				own="$GOCACHE $npm_config_cache $PIP_CACHE_DIR $UV_CACHE_DIR $CCACHE_DIR $YARN_CACHE_FOLDER"; mkdir links
				for folder in $folders $own; do echo planted > $folder/tool; echo planted >> $folder/deep/tool; echo planted > $folder/new; echo planted > $folder/read-only/tool; tools="$tools $folder/tool"; below="$below $folder/deep/tool"; done
				cp -l $below links; ln -t links --backup=numbered $tools; for file in links/*; do echo planted > $file; done
				truncate -s 0 $below; touch -d 2001-01-01 $tools $folders; chmod -R 777 $folders; setfattr -n user.x -v y $tools
				for folder in $folders $own; do mv $folder/deep $folder/moved; echo planted > $folder/read-only/tool; done
				rm -rf $folders $own`
			h.run(s, policy, `folders="`+strings.Join(folders, " ")+`"`+attack)
			s.KillHolders()
			if after := snapshotOf(t, folders); !maps.Equal(before, after) {
				for path := range after {
					if before[path] != after[path] {
						t.Errorf("%s: %s was %q and is %q", name, path, before[path], after[path])
					}
				}
				t.Errorf("%s: %d files have become %d", name, len(before), len(after))
			}
		}
	})
}

// snapshotOf maps the files and folders in some folders to their modes, times and contents.
func snapshotOf(t *testing.T, folders []string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := entry.Info()
			if err != nil {
				return err
			}
			content, _ := os.ReadFile(path) // a folder has no content
			all[path] = fmt.Sprint(info.Mode(), info.ModTime().UnixNano(), string(content))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// The result of a command names the caches that were empty before it.
func TestColdCaches(t *testing.T) {
	t.Parallel()
	eachBackend(t, func(t *testing.T, s *sandbox.Sandbox) {
		h := newHouse(t)
		write(t, h.home+"/.npm/x", "warm")
		if err := os.MkdirAll(h.home+"/.cache/pip", 0o755); err != nil {
			t.Fatal(err)
		}
		const fill = `for dir in ${GOCACHE:-$HOME/.cache/go-build} ${PIP_CACHE_DIR:-$HOME/.cache/pip}; do mkdir -p $dir && touch $dir/x; done`
		if got := h.run(s, h.withCaches(sandbox.ProfileWork), `true`); len(got.cold) > 0 {
			t.Errorf("a command without tools: %q", got.cold)
		}
		if got := h.run(s, h.withCaches(sandbox.ProfileWork), fill); got.exit != 0 || !slices.Equal(slices.Sorted(slices.Values(got.cold)), []string{"go-build", "pip"}) {
			t.Errorf("the first: %+v", got)
		}
		if got := h.run(s, h.withCaches(sandbox.ProfileWork), fill); got.exit != 0 || len(got.cold) > 0 {
			t.Errorf("the second: %+v", got)
		}
	})
}

func (h *house) withCaches(profile sandbox.Profile) sandbox.Policy {
	policy := h.policy(profile)
	policy.Caches = h.home + "/.cache/agent/x"
	policy.UserCaches = sandbox.UserCaches(h.home, func(string) string { return "" })
	return policy
}

// Building and testing work in the sandbox.
func TestToolsWorkInside(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds a program")
	}
	if _, err := exec.LookPath("make"); err != nil {
		t.Skip("make is not installed")
	}
	h := newHouse(t)
	write(t, h.workspace+"/go.mod", "module x\ngo 1.26\n")
	write(t, h.workspace+"/x_test.go", `package x
import ("net/http"; "net/http/httptest"; "testing")
func TestX(t *testing.T) {
	s := httptest.NewServer(http.NotFoundHandler())
	defer s.Close()
	if _, err := http.Get(s.URL); err != nil { t.Fatal(err) }
}
`)
	write(t, h.workspace+"/Makefile", "test:\n\tgo test ./...\n")
	policy := h.policy(sandbox.ProfileWork)
	cache, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Skip("go is not installed")
	}
	// Use the cache of the current user, so that the standard library is not built again.
	policy.AllowWrite = []string{trimmed(string(cache))}
	if got := h.run(use(t, sandbox.Namespaces), policy, `export GOCACHE=`+policy.AllowWrite[0]+` GOFLAGS=-buildvcs=false; make test`); got.exit != 0 {
		t.Errorf("%+v", got)
	}
}

// A file that the user approved runs outside the sandbox later. Therefore no command can replace it,
// the folders above it, or a link that leads to it.
func TestAgreedFilesStay(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	if err := os.Symlink("a", h.workspace+"/to"); err != nil {
		t.Fatal(err)
	}
	policy := h.policy(sandbox.ProfileWork)
	policy.Approved = []string{h.workspace + "/a/f", h.workspace + "/to"}
	policy.Protected = append(policy.Protected, policy.Approved...)
	for line, works := range map[string]bool{
		`mv a c`: false, `echo x > a/f`: false, `rm to`: false, `ln -sfn b to`: false, `mv to c`: false, `mv -T b to`: false,
		`cat to/f && test "$(readlink to)" = a && echo x > a/g && mv a/g a/h && mv b c && mv c b`: true,
	} {
		if got := h.run(use(t, sandbox.Namespaces), policy, line); (got.exit == 0) != works || len(got.undone) > 0 {
			t.Errorf("%s: %+v", line, got)
		}
	}
}

// If a command replaces a protected path by a link, undoing that does not follow the link.
func TestPuttingBackFollowsNoLinks(t *testing.T) {
	t.Parallel()
	eachBackend(t, func(t *testing.T, s *sandbox.Sandbox) {
		h := newHouse(t)
		write(t, h.home+"/sibling/commondir", "mine")
		for _, line := range []string{
			`mv .git g && ln -s ` + h.home + `/sibling .git`,
			`mv .github g && ln -s ` + h.home + `/sibling .github`,
			`rm -rf .git/hooks; ln -s ` + h.home + `/sibling .git/hooks`,
		} {
			h.run(s, h.policy(sandbox.ProfileWork), line)
		}
		entries, err := os.ReadDir(h.home + "/sibling")
		if err != nil || len(entries) != 2 {
			t.Errorf("outside are %v, %v", entries, err)
		}
		if content, err := os.ReadFile(h.home + "/sibling/commondir"); err != nil || string(content) != "mine" {
			t.Errorf("%q, %v", content, err)
		}
	})
}
