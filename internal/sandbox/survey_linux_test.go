package sandbox_test

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/protect/sensitive"
	"agent/internal/sandbox"
)

// surveyed returns a policy whose workspace is searched for protected files.
func (h *house) surveyed(profile sandbox.Profile) sandbox.Policy {
	policy := h.policy(profile)
	policy.Survey = sensitive.New(h.workspace, sensitive.MaxFolders)
	return policy
}

// nestedHouse returns a house whose workspace has auto-executed files in subfolders.
func nestedHouse(t *testing.T) *house {
	h := newHouse(t)
	for path, content := range map[string]string{
		"sub/.vscode/tasks.json": "# mine", "sub/deep/.envrc": "# mine", "sub/.github/workflows/ci.yml": "# mine", "sub/.github/CODEOWNERS": "x", "sub/f": "x", "sub/AGENTS.md": "# mine", "vendor/lib/.github/workflows/evil.yml": "# evil",
	} {
		write(t, h.workspace+"/"+path, content)
	}
	if err := os.CopyFS(h.workspace+"/inner/.git", os.DirFS(template(t))); err != nil {
		t.Fatal(err)
	}
	write(t, h.workspace+"/inner/.git/hooks/pre-commit", "# mine")
	return h
}

// again restores the workspace to an earlier listing. Creating a new workspace for each command
// would take several times as long.
func (h *house) again(made map[string]string) {
	h.t.Helper()
	now := h.listing()
	for path := range now {
		if now[path] != made[path] {
			if err := os.RemoveAll(filepath.Join(h.workspace, path)); err != nil {
				h.t.Fatal(err)
			}
		}
	}
	now = h.listing()
	for _, path := range slices.Sorted(maps.Keys(made)) { // a folder comes before its content
		if _, there := now[path]; there {
			continue
		}
		what, content, _ := strings.Cut(made[path], " ")
		mode, err := strconv.ParseUint(what[1:], 8, 32)
		at := filepath.Join(h.workspace, path)
		switch {
		case err != nil:
		case what[0] == 'd':
			err = os.Mkdir(at, fs.FileMode(mode))
		case what[0] == 'l':
			err = os.Symlink(content, at)
		default:
			err = os.WriteFile(at, []byte(content), fs.FileMode(mode))
		}
		if err != nil {
			h.t.Fatal(err)
		}
	}
	if now = h.listing(); !maps.Equal(made, now) {
		h.t.Fatalf("the house is another now:\n%s", cmp.Diff(made, now))
	}
}

// listing returns the kind, mode and content of each file and folder of the workspace.
func (h *house) listing() map[string]string {
	h.t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(h.workspace, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || path == h.workspace {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		kind, content := "f", []byte(nil)
		switch {
		case entry.IsDir():
			kind = "d"
		case info.Mode()&fs.ModeSymlink != 0:
			kind = "l"
			var leads string
			leads, err = os.Readlink(path)
			content = []byte(leads)
		default:
			content, err = os.ReadFile(path)
		}
		all[strings.TrimPrefix(path, h.workspace+"/")] = fmt.Sprintf("%s%o %s", kind, info.Mode().Perm(), content)
		return err
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return all
}

// Auto-executed files stay unchanged at any depth, and new ones are removed (D-60).
func TestNestedFilesThatRunLater_D60(t *testing.T) {
	t.Parallel()
	eachBackend(t, func(t *testing.T, s *sandbox.Sandbox) {
		h := nestedHouse(t)
		made := h.listing()
		for _, line := range []string{
			`echo evil > sub/.vscode/tasks.json`, `rm -r sub/.vscode; mkdir sub/.vscode; echo evil > sub/.vscode/tasks.json`, `echo evil > sub/.vscode/launch.json`,
			`rm -f sub/deep/.envrc; echo evil > sub/deep/.envrc`, `ln sub/deep/.envrc l; echo evil > l; rm l`, `echo evil >> sub/AGENTS.md`,
			`mv sub/.github g; mkdir -p sub/.github/workflows; echo evil > sub/.github/workflows/ci.yml`,
			`mv sub old; mkdir -p sub/.vscode sub/deep; echo evil > sub/.vscode/tasks.json; echo evil > sub/deep/.envrc`, `rm -rf sub`,
			`echo evil > inner/.git/hooks/pre-commit`, `echo evil > inner/.git/hooks/post-checkout`, `git -C inner config core.fsmonitor evil`, `mv inner/.git g; cp -r g inner/.git; git -C inner config core.fsmonitor evil`,
			`echo ../evil > inner/.git/commondir`, `mkdir -p new/x/.vscode; echo evil > new/x/.vscode/tasks.json`, `mkdir -p new/.husky; echo evil > new/.husky/pre-commit`, `echo evil > new.code-workspace`,
			`git init -q new; echo evil > new/.git/hooks/pre-commit`, `git init -q new; git -C new config core.fsmonitor evil`,
			`git init -q e; git -C e config core.fsmonitor evil; mv e/.git e/g; mkdir new; echo "gitdir: ../e/g" > new/.git`,
			`mkdir -p bare/objects bare/refs; echo 'ref: refs/heads/none' > bare/HEAD; printf '[core]\nfsmonitor = evil\n' > bare/config`,
			`ln -s ../sub/.vscode new; mkdir -p a/b; mv sub/f a/b/.envrc`, `mv vendor/lib/.github . ; cp -r vendor/lib/.github . `, `mkdir -p d; cd d; mkdir .VSCode; echo evil > .VSCode/tasks.json`,
			`touch -d 2001-01-01 sub; echo evil > sub/.envrc; touch -d 2001-01-01 sub`, `chmod +x sub/deep/.envrc; ln -sf ../f sub/deep/.envrc`,
		} {
			h.again(made)
			h.run(s, h.surveyed(sandbox.ProfileWork), line)
			found := sensitive.New(h.workspace, sensitive.MaxFolders).ScanBefore()
			found.RunLater = slices.DeleteFunc(found.RunLater, func(path string) bool { return strings.Contains(path, "/undone-") })
			if want := 8; len(found.RunLater) != want { // as before
				t.Errorf("%s: what runs later is %q", line, found.RunLater)
			}
			for _, path := range []string{"sub/.vscode/tasks.json", "sub/deep/.envrc", "sub/.github/workflows/ci.yml", "sub/AGENTS.md", "inner/.git/hooks/pre-commit", ".envrc"} {
				if content, err := os.ReadFile(h.workspace + "/" + path); err != nil || string(content) != "# mine" {
					t.Errorf("%s: %s holds %q, %v", line, path, content, err)
				}
			}
			for _, path := range []string{"sub/.vscode/launch.json", "inner/.git/commondir", "inner/.git/hooks/post-checkout", "new/.git/hooks/pre-commit", "new/.git", "bare/config", ".github/workflows/evil.yml"} {
				if _, err := os.Lstat(h.workspace + "/" + path); err == nil && (path != "new/.git" || !strings.Contains(line, "init -q new")) {
					t.Errorf("%s: there is %s", line, path)
				}
			}
			for _, config := range []string{"inner/.git/config", "new/.git/config", "bare/config"} {
				if content, _ := os.ReadFile(h.workspace + "/" + config); strings.Contains(string(content), "evil") {
					t.Errorf("%s: %s holds %q", line, config, content)
				}
			}
		}
	})
}

// A command that keeps running is checked while it runs.
func TestNestedFilesOfALongCommand_D60(t *testing.T) {
	t.Parallel()
	eachBackend(t, func(t *testing.T, s *sandbox.Sandbox) {
		h := nestedHouse(t)
		got := h.run(s, h.surveyed(sandbox.ProfileWork), `mkdir -p new/.vscode; echo evil > new/.vscode/tasks.json; echo evil > .husky; for i in $(seq 1000); do sleep 0.02; [ -e new/.vscode ] || exit 7; done`)
		if got.exit != 7 || !slices.Equal(got.undone, []string{h.workspace + "/.husky", h.workspace + "/new/.vscode"}) {
			t.Errorf("%+v", got)
		}
	})
}

// Common work in folders with such files is possible.
func TestWorkBesideNestedFiles(t *testing.T) {
	t.Parallel()
	eachBackend(t, func(t *testing.T, s *sandbox.Sandbox) {
		h := nestedHouse(t)
		made := h.listing()
		for _, line := range []string{
			`mv sub/f g && mv g sub/f`, `git mv a/f sub/moved && git commit -qam moved`, `git -C inner commit -q --allow-empty -m x`, `git init -q new && cd new && git commit -q --allow-empty -m x && git config user.name x`,
			`git clone -q . cloned && git -C cloned log -1`, `git worktree add -q tree && git -C tree status && echo x > tree/n && git -C tree add n && git -C tree commit -qm n`,
			`git init -q --bare bare.git && git push -q bare.git HEAD:main`, `rm -r b && mkdir b`, `echo x > sub/.github/CODEOWNERS`,
		} {
			h.again(made)
			got := h.run(s, h.surveyed(sandbox.ProfileWork), line)
			if got.exit != 0 || len(got.undone) != 0 {
				t.Errorf("%s: %+v", line, got)
			}
		}
	})
}

// No command reads the secret files of the workspace (D-60). This holds for read-only commands, and
// for commands with write access if the backend can hide single files.
func TestKeysOfTheWorkspace_D60(t *testing.T) {
	t.Parallel()
	const key = "hunter2hunter2"
	eachBackend(t, func(t *testing.T, s *sandbox.Sandbox) {
		for _, profile := range []sandbox.Profile{sandbox.ProfileReadOnly, sandbox.ProfileWork} {
			if profile == sandbox.ProfileWork && s.Backend() == sandbox.Landlock {
				continue
			}
			h := newHouse(t)
			for _, path := range []string{".env", "sub/.env.local", "sub/deep/id_rsa", "certs/server.key", "sub/.aws/credentials"} {
				write(t, h.workspace+"/"+path, key)
			}
			write(t, h.workspace+"/.env.example", "plain")
			if err := os.Symlink(".env", h.workspace+"/innocent"); err != nil {
				t.Fatal(err)
			}
			policy, before := h.surveyed(profile), ""
			look := `(cat $TMPDIR/* $TMPDIR/*/* ` + h.workspace + `/* .env .git/index; git log -p)` + "\n"
			for _, line := range []string{
				`cat .env`, `cat .e*`, `grep -r hunter .`, `cat innocent`, `ln .env l; cat l`, `mv .env x; cat x`, `cp -r . $TMPDIR/c; cat $TMPDIR/c/.env`, `mv sub other; cat other/deep/id_rsa other/.env.local; cat */.env.local`,
				`cat /proc/self/cwd/.env`, `tar c . | grep -a hunter`, `cat sub/.aws/credentials`, `git add -f .env; git show :.env`, `git hash-object -w .env; git update-index --add --cacheinfo 100644,$(git rev-parse HEAD:a/f),.env; cat .env`,
				`dd if=.env`, `exec 3<.env; cat <&3`, `git diff --no-index /dev/null .env`, `rm -f certs/server.key; cat certs/server.key`,
			} {
				// The next command first looks for what the one before may have left.
				if got := h.run(s, policy, look+line); strings.Contains(got.output, "hunter2") {
					t.Errorf("%s in %s, or after %s: %s", line, profile, before, got.output)
				}
				before = line
			}
			if got := h.run(s, policy, look); strings.Contains(got.output, "hunter2") {
				t.Errorf("after %s in %s: %s", before, profile, got.output)
			}
			if got := h.run(s, policy, `cat .env.example`); got.exit != 0 {
				t.Errorf("%+v", got)
			}
			policy.AllowRead = []string{h.workspace + "/.env"}
			if got := h.run(s, policy, `cat .env`); got.exit != 0 || !strings.Contains(got.output, key) {
				t.Errorf("allowed: %+v", got)
			}
		}
	})
}

// A file that another program creates while a command runs does not count as a file of that command
// once the next command has started. It is therefore secret.
func TestKeysPutThereMeanwhile(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	s, policy := use(t, sandbox.Namespaces), h.surveyed(sandbox.ProfileWork)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	server, err := s.Start(ctx, h.command(`rm -f gone; mkdir .vscode; while [ -e .vscode ]; do sleep 0.02; done; mkdir .vscode; while [ -e .vscode ]; do sleep 0.02; done; touch looked; exec sleep 600`), policy)
	if err != nil {
		t.Fatal(err)
	}
	write(t, h.workspace+"/.env", "hunter2")
	h.waitFor("looked") // the guard has scanned twice
	if got := h.run(s, policy, `cat .e*`); strings.Contains(got.output, "hunter2") {
		t.Errorf("%+v", got)
	}
	cancel()
	_ = server.Wait()
	if got := h.run(s, policy, `cat .e*`); strings.Contains(got.output, "hunter2") {
		t.Errorf("after its end: %+v", got)
	}
}

// A later command can read a file that a command created.
func TestKeysThatCommandsMade(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	s, policy := use(t, sandbox.Namespaces), h.surveyed(sandbox.ProfileWork)
	h.run(s, policy, `echo made > test.pem`)
	if got := h.run(s, policy, `cat test.pem`); trimmed(got.output) != "made" {
		t.Errorf("%+v", got)
	}
}
