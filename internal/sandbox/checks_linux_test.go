package sandbox_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"agent/internal/sandbox"
)

func itoa(n int) string { return strconv.Itoa(n) }

// A verdict is the expected result of a check.
type verdict int

const (
	refused verdict = iota
	works
)

// check is an action that a command tries. It succeeds if its exit code is 0.
type check struct {
	name, line string
	// The expected results: profile work with the two backends, and the read-only profile.
	helper, thread, look verdict
}

// Each check must be harmless even if it unexpectedly succeeds.
var checks = []check{
	{"write home", `echo x > ~/new`, refused, refused, refused},
	{"change home", `echo x >> ~/.bashrc`, refused, refused, refused},
	{"write /etc", `echo x > /etc/agent-sandbox-test`, refused, refused, refused},
	{"write sibling", `echo x > ../sibling/f`, refused, refused, refused},
	{"remove sibling", `rm ../sibling/f`, refused, refused, refused},
	{"truncate home", `truncate -s 0 ~/.bashrc`, refused, refused, refused},
	{"write by link", `ln -s ~/.bashrc l; echo x >> l`, refused, refused, refused},

	{"read ssh key", `cat ~/.ssh/id_ed25519`, refused, refused, refused},
	{"read aws key", `cat ~/.aws/credentials`, refused, refused, refused},
	{"read gh token", `cat ~/.config/gh/hosts.yml`, refused, refused, refused},
	{"read netrc", `cat ~/.netrc`, refused, refused, refused},
	{"read by link", `cat link`, refused, refused, refused},
	{"read by hard link", `ln ~/.ssh/id_ed25519 hard && cat hard`, refused, refused, refused},
	{"read by /proc", `cat /proc/self/root$HOME/.ssh/id_ed25519`, refused, refused, refused},
	{"move keys away", `mv ~/.ssh x`, refused, refused, refused},

	{"environment of others", `grep -q hunter2 /proc/$VICTIM/environ`, refused, refused, refused},
	{"environment of any", `grep -qs hunter2 /proc/*/environ`, refused, refused, refused},
	{"kill others", `kill -0 $VICTIM`, refused, refused, refused},
	{"kill the program", `kill -0 $PARENT`, refused, refused, refused},
	{"trace others", `SANDBOX_TEST_TOOL=trace $SELF $VICTIM`, refused, refused, refused},
	{"abstract socket", `SANDBOX_TEST_TOOL=dial $SELF unix $ABSTRACT`, refused, refused, refused},
	{"unix socket", `SANDBOX_TEST_TOOL=dial $SELF unix $SOCKET`, refused, refused, refused},
	{"tcp to outside", `SANDBOX_TEST_TOOL=dial $SELF tcp 192.0.2.1:9`, refused, refused, refused},
	{"udp to outside", `SANDBOX_TEST_TOOL=send $SELF 192.0.2.1:9`, refused, refused, refused},
	{"tcp to loopback outside", `SANDBOX_TEST_TOOL=dial $SELF tcp $TCP`, refused, refused, refused},
	{"own loopback", `SANDBOX_TEST_TOOL=loopback $SELF`, works, refused, refused},

	{"git hook", `echo x > .git/hooks/pre-commit && grep -q x .git/hooks/pre-commit`, refused, works, refused},
	{"git config", `git config core.fsmonitor 'touch x'`, refused, works, refused},
	{"move .git", `mv .git g`, refused, works, refused},
	{"protected file", `echo x > .envrc`, refused, works, refused},
	{"protected file, removed", `rm .envrc`, refused, works, refused},

	{"move what holds the protected", `mv .github g && mkdir -p .github/workflows && echo x > .github/workflows/ci.yml`, refused, works, refused},
	{"link for the protected", `rm -f .mcp.json && echo x > .mcp.json`, refused, works, refused},
	{"socket to the host", `SANDBOX_TEST_TOOL=host $SELF`, refused, refused, refused},

	{"mount", `mount --bind a b`, refused, refused, refused},
	{"unmount", `umount -l ~/.ssh`, refused, refused, refused},
	{"new user namespace", `unshare -Ur true`, refused, refused, refused},
	{"device", `mknod d b 254 0 && head -c1 d`, refused, refused, refused},
	{"rights of home", `chmod 700 ~/.bashrc`, refused, refused, refused},
	{"rights by link", `ln -s ~/.bashrc l; chmod 700 l`, refused, refused, refused},
	{"rights by descriptor", `chmod 700 /proc/self/fd/9 9< ~/.bashrc`, refused, refused, refused},
	{"rights of a device", `chmod 666 /dev/null`, refused, refused, refused},
	{"owner of home", `chown $(id -u) ~/.bashrc`, refused, refused, refused},
	{"times of home", `touch -d 2001-01-01 ~/.bashrc`, refused, refused, refused},
	{"attributes of home", `SANDBOX_TEST_TOOL=attributes $SELF ~/.bashrc`, refused, refused, refused},
	{"files that run as another", `SANDBOX_TEST_TOOL=other-ids $SELF`, refused, refused, refused},
	{"files that run as another, in the temporary folder", `cd $TMPDIR && SANDBOX_TEST_TOOL=other-ids $SELF`, refused, refused, refused},
	{"limits of others", `prlimit --pid $VICTIM --core=1`, refused, refused, refused},
	{"priority of others", `renice -n 15 -p $VICTIM`, refused, refused, refused},
	{"datagrams to a socket", `SANDBOX_TEST_TOOL=datagram $SELF $DATAGRAMS`, refused, refused, refused},
	{"memory of all", `SANDBOX_TEST_TOOL=memory $SELF $MEMORY`, refused, refused, refused},

	{"write workspace", `echo x > new && mkdir -p d/e && rm -r d new`, works, works, refused},
	{"times in microseconds", `SANDBOX_TEST_TOOL=times $SELF a/f && test "$(stat -c %.2Y a/f)" = 978307200.25`, works, works, refused},
	{"rights and times of the workspace", `chmod 700 a/f && cd a && chmod 640 f && touch -d @978307200 f && cp -p f g && ln -s f l && touch -h -d @1 l && chown $(id -u) g && test "$(stat -c '%a %Y' g)" = "640 978307200" && chmod 600 /proc/self/fd/9 9< g && test $(stat -c %a g) = 600`, works, works, refused},
	{"rename across folders", `mv a/f b/g && mv b/g a/f`, works, works, refused},
	{"git commit", `echo y >> a/f && git commit -qam second && git stash list && git checkout -q -b other && git gc -q`, works, works, refused},
	{"git status", `git status --short && git log -1 && git diff`, works, works, works},
	{"read workspace", `cat a/f`, works, works, works},
	{"read system", `cat /etc/passwd && ls /usr/bin && ls -l /proc/self/fd`, works, works, works},
	{"null device", `echo x > /dev/null && head -c1 /dev/urandom && cat < /dev/null`, works, works, works},
	{"temporary folder", `echo x > $TMPDIR/x && mktemp && rm $TMPDIR/x`, works, works, works},
	{"here document", "cat <<x\nhello\nx\n", works, works, works},
	{"shared memory", `echo x > /dev/shm/agent-sandbox-test-$$; r=$?; rm -f /dev/shm/agent-sandbox-test-$$; exit $r`, works, works, refused},
	{"pipes", `echo a | tr a b | grep b && cat <(echo x)`, works, works, works},
}

// The 33 checks of the security review, and others, run with each backend and profile.
func TestCommandsInTheSandbox(t *testing.T) {
	t.Parallel()
	eachBackend(t, func(t *testing.T, s *sandbox.Sandbox) {
		for _, profile := range []sandbox.Profile{sandbox.ProfileWork, sandbox.ProfileReadOnly} {
			t.Run(profile.String(), func(t *testing.T) {
				t.Parallel()
				// One command tries all actions that must fail, and another all actions that must
				// succeed. An action whose effect is undone at the end of its command has a
				// separate command.
				var refusals, work []check
				h := newHouse(t)
				made := h.listing()
				for _, c := range checks {
					switch want := c.want(s.Backend(), profile); {
					case want == refused:
						refusals = append(refusals, c)
					case c.helper == refused:
						h.try(s, profile, c)
						h.again(made)
					default:
						work = append(work, c)
					}
				}
				h.try(s, profile, refusals...)
				newHouse(t).try(s, profile, work...)
			})
		}
	})
}

// want returns the expected verdict of a check.
func (c check) want(backend sandbox.Backend, profile sandbox.Profile) verdict {
	switch {
	case profile == sandbox.ProfileReadOnly && backend == sandbox.Namespaces && c.name == "shared memory":
		return works // the namespace has its own
	case profile == sandbox.ProfileReadOnly:
		return c.look
	case backend == sandbox.Namespaces:
		return c.helper
	}
	return c.thread
}

// try runs checks one after the other in one command, each in a separate shell.
func (h *house) try(s *sandbox.Sandbox, profile sandbox.Profile, tried ...check) {
	h.t.Helper()
	const end = "\n=== exit "
	line := "PARENT=" + itoa(os.Getpid()) + "\n"
	for _, c := range tried {
		line += "( " + c.line + "\n) 2>&1; echo '" + end + "'$?\n"
	}
	got := h.run(s, h.policy(profile), line)
	rest := got.output
	for _, c := range tried {
		output, after, ended := strings.Cut(rest, end)
		exit, others, _ := strings.Cut(after, "\n")
		if want := c.want(s.Backend(), profile); !ended || (exit == "0") != (want == works) {
			h.t.Errorf("%s: exit %s, want it to work: %v\n%s", c.name, exit, want == works, output)
		}
		rest = others
	}
	h.isUnharmed(tried[0].name)
}

// isUnharmed checks, from outside the sandbox, that protected files and processes did not change.
func (h *house) isUnharmed(after string) {
	h.t.Helper()
	for path, want := range map[string]string{
		h.workspace + "/.github/workflows/ci.yml": "# mine", h.workspace + "/.mcp.json": "x",
		h.home + "/.bashrc": "# mine", h.home + "/sibling/f": "x", h.home + "/.ssh/id_ed25519": "a key", h.workspace + "/.envrc": "# mine",
	} {
		if content, err := os.ReadFile(path); err != nil || string(content) != want {
			h.t.Errorf("after %s: %s holds %q, %v", after, path, content, err)
		}
	}
	for _, path := range []string{h.home + "/new", "/etc/agent-sandbox-test", h.workspace + "/.git/hooks/pre-commit"} {
		if _, err := os.Lstat(path); err == nil {
			h.t.Errorf("after %s: there is %s", after, path)
		}
	}
	config, err := os.ReadFile(h.workspace + "/.git/config")
	if err != nil || strings.Contains(string(config), "fsmonitor") {
		h.t.Errorf("after %s: the configuration is %q, %v", after, config, err)
	}
}

// The same checks run as a user other than root.
func TestCommandsInTheSandboxAsAnOrdinaryUser(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("the other tests run as an ordinary user")
	}
	if testing.Short() {
		t.Skip("starts these tests again")
	}
	const nobody = 65534
	dir, err := os.MkdirTemp("", "sandbox-user-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(dir, "sandbox.test")
	if out, err := exec.Command("cp", self, binary).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	if err := os.Chown(dir, nobody, nobody); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(binary, "-test.run", "^(TestCommandsInTheSandbox|TestNothingIsLeft|TestKill.*|TestProcesses.*)$", "-test.v", "-test.timeout=5m")
	cmd.Env = []string{"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + dir, "TMPDIR=" + dir}
	cmd.Dir = dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}, Pdeathsig: syscall.SIGKILL}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, "SKIP") || strings.Contains(line, "no helper") || strings.Contains(line, "no thread") {
			t.Log(trimmed(line))
		}
	}
}
