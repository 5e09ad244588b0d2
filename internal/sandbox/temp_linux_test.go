package sandbox_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"agent/internal/sandbox"
)

// privateTemp returns a policy with a private /tmp, and the folder that contains it.
func (h *house) privateTemp(profile sandbox.Profile) (sandbox.Policy, string) {
	h.t.Helper()
	policy := h.policy(profile)
	policy.PrivateTemp = h.temp + "-own/tmp"
	if err := os.MkdirAll(policy.PrivateTemp, 0o755); err != nil {
		h.t.Fatal(err)
	}
	if err := os.Chmod(policy.PrivateTemp, os.ModeSticky|0o777); err != nil {
		h.t.Fatal(err)
	}
	return policy, policy.PrivateTemp
}

// A command has a private /tmp that later commands share and no other program sees. The workspace,
// TMPDIR and folders in the environment stay accessible.
func TestPrivateTemp(t *testing.T) {
	t.Parallel()
	s := use(t, sandbox.Namespaces)
	h := newHouse(t)
	policy, own := h.privateTemp(sandbox.ProfileWork)
	name := "agent-test-" + filepath.Base(t.TempDir()) + filepath.Base(h.home)
	steps := []struct{ line, want string }{
		{`mkdir /tmp/` + name + ` && echo first > /tmp/` + name + `/f && cat /tmp/` + name + `/f`, "first"},
		{`cat /tmp/` + name + `/f`, "first"},
		{`echo x > in && cat ` + h.workspace + `/in`, "x"},
		{`echo y > $TMPDIR/t && cat ` + h.temp + `/t`, "y"},
		{`pwd; test -r $HOME && echo home`, h.workspace + "\nhome"},
		{`d=$(mktemp -d) && touch $d/x && echo made`, "made"},
		{`stat -c %a /tmp`, "1777"},
	}
	for _, step := range steps {
		if got := h.run(s, policy, step.line); got.exit != 0 || trimmed(got.output) != step.want {
			t.Errorf("%s: %+v, want %q", step.line, got, step.want)
		}
	}
	if _, err := os.Lstat("/tmp/" + name); err == nil {
		t.Error("what a command made in its /tmp is seen in the system's")
	}
	if content, err := os.ReadFile(filepath.Join(own, name, "f")); err != nil || string(content) != "first\n" {
		t.Errorf("it is not in the folder: %q, %v", content, err)
	}
	look := policy
	look.Profile = sandbox.ProfileReadOnly
	for line, want := range map[string]bool{
		`cat /tmp/` + name + `/f`: true, `cat in`: true, `cd /tmp && ls ` + name: true, `echo x > more`: false, `echo x > ` + h.workspace + `/more`: false, `echo x > $HOME/more`: false,
	} {
		if got := h.run(s, look, line); (got.exit == 0) != want {
			t.Errorf("a command that only looks: %s: %+v", line, got)
		}
	}
}

// A link in a private /tmp does not lead a later command, or its preparation, to another folder.
func TestLinksInAPrivateTemp(t *testing.T) {
	t.Parallel()
	s := use(t, sandbox.Namespaces)
	h := newHouse(t)
	policy, own := h.privateTemp(sandbox.ProfileWork)
	target := h.home + "/target"
	write(t, target+"/f", "kept")
	if err := os.Symlink(target, own+"/link"); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		`echo x > /tmp/link/f`, `echo x > /tmp/link/new`, `ln ` + target + `/f /tmp/hard`, `ln ` + h.workspace + `/a/f /tmp/hard`, `ln ` + h.temp + `/../target/f $TMPDIR/hard`,
		`mv ` + target + `/f /tmp/moved`, `mount --bind ` + target + ` /tmp`, `umount /tmp`, `mknod /tmp/null c 1 3 && echo x > /tmp/null`,
	} {
		if got := h.run(s, policy, line); got.exit == 0 {
			t.Errorf("%s: %+v", line, got)
		}
	}
	if content, err := os.ReadFile(target + "/f"); err != nil || string(content) != "kept" {
		t.Errorf("outside is now %q, %v", content, err)
	}
	// Mounts below /tmp keep their position, whatever a command put there.
	for _, folder := range []string{h.workspace, h.temp} {
		if !strings.HasPrefix(folder, "/tmp/") {
			t.Skip("the test's folders are not below /tmp")
		}
	}
	top := "/" + strings.Split(h.workspace, "/")[2]
	for _, planted := range []func() error{
		func() error { return os.Symlink("/etc", own+top) },
		func() error { return os.Symlink("nowhere", own+top) },
		func() error { return os.WriteFile(own+top, nil, 0o600) },
	} {
		if err := os.RemoveAll(own + top); err != nil {
			t.Fatal(err)
		}
		if err := planted(); err != nil {
			t.Fatal(err)
		}
		if got := h.run(s, policy, `cat a/f && echo x > planted`); got.exit != 0 {
			t.Errorf("a link in the place of the workspace: %+v", got)
		}
	}
}

// A command runs in and next to a folder of its private /tmp, even if the system's /tmp has the
// same name.
func TestNamesOfBothTemps(t *testing.T) {
	t.Parallel()
	s := use(t, sandbox.Namespaces)
	h := newHouse(t)
	policy, own := h.privateTemp(sandbox.ProfileWork)
	for _, make := range []func() (string, error){
		func() (string, error) { return os.MkdirTemp("/tmp", "agent-test-") },
		func() (string, error) {
			f, err := os.CreateTemp("/tmp", "agent-test-")
			if err != nil {
				return "", err
			}
			return f.Name(), f.Close()
		},
	} {
		there, err := make()
		if err != nil {
			t.Skip(err)
		}
		t.Cleanup(func() { _ = os.Remove(there) })
		write(t, filepath.Join(own, filepath.Base(there), "f"), "of the session")
		inside := h.command(`pwd; cat f`)
		inside.Dir = filepath.Join(own, filepath.Base(there))
		if got := h.runCommand(s, policy, inside); got.exit != 0 || trimmed(got.output) != there+"\nof the session" {
			t.Errorf("in the folder: %+v", got)
		}
		beside := h.command(`echo runs`)
		beside.Env = append(beside.Env, "NAMED="+there)
		if got := h.runCommand(s, policy, beside); got.exit != 0 || trimmed(got.output) != "runs" {
			t.Errorf("beside it: %+v", got)
		}
	}
}

// The folder of a private /tmp must not be a link. If a policy makes /tmp writable, there is no
// private /tmp.
func TestWithoutAPrivateTemp(t *testing.T) {
	t.Parallel()
	s := use(t, sandbox.Namespaces)
	for _, writable := range []string{"/", "/tmp"} {
		if s.HasOwnTemp(writable) {
			t.Errorf("a workspace %s has a /tmp beside the system's", writable)
		}
	}
	if sandbox.NewUnconfined("test").HasOwnTemp() {
		t.Error("without a sandbox there is one")
	}
	h := newHouse(t)
	policy, own := h.privateTemp(sandbox.ProfileWork)
	target := h.home + "/target"
	write(t, target+"/f", "kept")
	if err := os.Remove(own); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, own); err != nil {
		t.Fatal(err)
	}
	if got := h.run(s, policy, `echo x > /tmp/f`); got.exit == 0 {
		t.Errorf("%+v", got)
	}
	policy.Temp = own
	h.run(s, policy, `echo x > $TMPDIR/f; echo x > `+target+`/f`)
	if content, err := os.ReadFile(target + "/f"); err != nil || string(content) != "kept" {
		t.Errorf("a link in the place of the folder opens what it leads to: %q, %v", content, err)
	}
}

// Hidden files stay hidden. If PATH contains a folder that does not exist outside, a later command
// does not find a program that a command put there.
func TestHiddenFilesAndPathWithAPrivateTemp(t *testing.T) {
	t.Parallel()
	s := use(t, sandbox.Namespaces)
	h := newHouse(t)
	policy, _ := h.privateTemp(sandbox.ProfileWork)
	write(t, h.home+"/.ssh/id_ed25519", "hunter2")
	policy.DenyRead = append(policy.DenyRead, "/tmp/agent-test-denied")
	if got := h.run(s, policy, `cat ~/.ssh/id_ed25519`); got.exit == 0 {
		t.Errorf("%+v", got)
	}
	if got := h.run(s, policy, `mkdir -p /tmp/agent-test-bin && printf '#!/bin/sh\necho planted' > /tmp/agent-test-bin/ls && chmod +x /tmp/agent-test-bin/ls && echo ok > /tmp/agent-test-denied && cat /tmp/agent-test-denied`); got.exit != 0 {
		t.Errorf("%+v", got)
	}
	t.Run("PATH", func(t *testing.T) {
		cmd := h.command("ls")
		cmd.Env = append(cmd.Env, "PATH=/tmp/agent-test-bin:"+os.Getenv("PATH"))
		if got := h.runCommand(s, policy, cmd); got.exit != 0 || strings.Contains(got.output, "planted") {
			t.Errorf("%+v", got)
		}
	})
}

// Two sessions, and two commands of one session, do not disturb each other.
func TestTwoTempsAtOnce(t *testing.T) {
	t.Parallel()
	s := use(t, sandbox.Namespaces)
	h := newHouse(t)
	one, _ := h.privateTemp(sandbox.ProfileWork)
	two := one
	two.PrivateTemp = h.temp + "-two/tmp"
	if err := os.MkdirAll(two.PrivateTemp, 0o755); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i := range 6 {
		policy, name, other := one, "one", "two"
		if i%2 == 1 {
			policy, name, other = two, "two", "one"
		}
		wg.Go(func() {
			if got := h.run(s, policy, `test ! -e /tmp/of-`+other+` && touch /tmp/of-`+name+` && cat a/f`); got.exit != 0 {
				t.Errorf("%+v", got)
			}
		})
	}
	wg.Wait()
}
