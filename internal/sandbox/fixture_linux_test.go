package sandbox_test

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"agent/internal/protect"
	"agent/internal/sandbox"

	"golang.org/x/sys/unix"
)

// house is a home folder with secrets, and a repository in it as the workspace.
type house struct {
	t                     *testing.T
	home, workspace, temp string
}

func newHouse(t *testing.T) *house {
	t.Helper()
	root, err := os.MkdirTemp(templates, "house-") // TestMain removes it at the end, because new files are slow right after a deletion
	if err != nil {
		t.Fatal(err)
	}
	h := &house{t: t, home: root + "/home", workspace: root + "/home/work", temp: root + "/temp"}
	for path, content := range map[string]string{
		"home/.ssh/id_ed25519": "a key", "home/.aws/credentials": "a key", "home/.config/gh/hosts.yml": "a token", "home/.netrc": "a password",
		"home/.bashrc": "# mine", "home/sibling/f": "x", "home/work/a/f": "x", "home/work/b/f": "x", "home/work/.envrc": "# mine", "home/work/.github/workflows/ci.yml": "# mine", "temp/f": "x",
	} {
		write(t, filepath.Join(root, path), content)
	}
	for name, target := range map[string]string{"link": h.home + "/.ssh/id_ed25519", ".mcp.json": "b/f"} {
		if err := os.Symlink(target, filepath.Join(h.workspace, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.CopyFS(h.workspace+"/.git", os.DirFS(template(t))); err != nil {
		t.Fatal(err)
	}
	return h
}

// template returns a repository whose first commit contains a/f.
func template(t *testing.T) string {
	t.Helper()
	dir, err := sharedTemplate()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// sharedTemplate creates the template once, and TestMain removes it. It has one of the sample hooks that git
// copies. Every house copies the template.
var sharedTemplate = sync.OnceValues(func() (string, error) {
	dir := filepath.Join(templates, "work")
	script := `mkdir -p a .git/hooks .git/info && echo -n x > a/f && touch .git/info/exclude .git/hooks/pre-commit.sample &&
		git init -q --template= -b main . && git add a && git -c core.logAllRefUpdates=false -c user.name=x -c user.email=x@example.org commit -qm first`
	if err := os.Mkdir(dir, 0o755); err != nil {
		return "", err
	}
	cmd := exec.Command("sh", "-c", script)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "HOME="+dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return dir + "/.git", nil
})

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func (h *house) git(args ...string) {
	h.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = h.workspace
	cmd.Env = append(os.Environ(), "HOME="+h.home, "GIT_CONFIG_NOSYSTEM=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		h.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// others are resources outside every house that no command may reach: listening programs, shared
// memory, and a process with a secret in its environment.
type others struct {
	tcp, udp, socket, abstract, datagrams string
	memory                                int
	victim                                *exec.Cmd
	open                                  []io.Closer
}

// outside creates the others once, and TestMain stops them.
var outside = sync.OnceValues(func() (*others, error) {
	o := &others{socket: templates + "/s", abstract: fmt.Sprintf("@agent-test-%d", os.Getpid()), datagrams: templates + "/d", victim: exec.Command("cat")}
	var failed error
	listen := func(network, address string) string {
		listener, err := net.Listen(network, address)
		if err != nil {
			failed = err
			return ""
		}
		o.open = append(o.open, listener)
		return listener.Addr().String()
	}
	receive := func(network, address string) string {
		packets, err := net.ListenPacket(network, address)
		if err != nil {
			failed = err
			return ""
		}
		o.open = append(o.open, packets)
		return packets.LocalAddr().String()
	}
	o.tcp, o.udp = listen("tcp", "127.0.0.1:0"), receive("udp", "127.0.0.1:0")
	listen("unix", o.socket)
	listen("unix", o.abstract)
	receive("unixgram", o.datagrams)
	memory, err := unix.SysvShmGet(unix.IPC_PRIVATE, 1, 0o600)
	if failed = cmp.Or(failed, err); failed != nil {
		return o, failed
	}
	o.memory = memory
	o.victim.Env = []string{"VICTIM_SECRET=hunter2", "PATH=" + os.Getenv("PATH")}
	input, err := o.victim.StdinPipe() // the victim ends with this process
	if err != nil {
		return o, err
	}
	o.open = append(o.open, input)
	return o, o.victim.Start()
})

func (o *others) end() {
	for _, open := range o.open {
		open.Close()
	}
	if o.memory != 0 {
		_, _ = unix.SysvShmCtl(o.memory, unix.IPC_RMID, nil)
	}
	if o.victim.Process != nil {
		_ = o.victim.Process.Kill()
		_ = o.victim.Wait()
	}
}

func (h *house) policy(profile sandbox.Profile) sandbox.Policy {
	return sandbox.Policy{
		Profile: profile, Workspace: h.workspace, Temp: h.temp,
		DenyRead: protect.Secrets(h.home), Protected: []string{h.workspace + "/.envrc", h.workspace + "/.vscode", h.workspace + "/.github/workflows", h.workspace + "/.mcp.json"},
		Grace: 100 * time.Millisecond,
	}
}

// ran is the result of a command.
type ran struct {
	exit   int
	output string
	left   bool
	undone []string
	cold   []string
}

// run runs a line of bash in the sandbox.
func (h *house) run(s *sandbox.Sandbox, policy sandbox.Policy, line string) ran {
	h.t.Helper()
	return h.runCommand(s, policy, h.command(line))
}

func (h *house) runCommand(s *sandbox.Sandbox, policy sandbox.Policy, cmd *exec.Cmd) ran {
	h.t.Helper()
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	c, err := s.Start(context.Background(), cmd, policy)
	if err != nil {
		h.t.Fatal(err)
	}
	_ = c.Wait()
	return ran{cmd.ProcessState.ExitCode(), output.String(), c.End().LeftBehind, c.End().Undone, c.End().ColdCaches}
}

func (h *house) command(line string) *exec.Cmd {
	h.t.Helper()
	self, err := os.Executable()
	if err != nil {
		h.t.Fatal(err)
	}
	o, err := outside()
	if err != nil {
		h.t.Fatal(err)
	}
	cmd := exec.Command("bash", "-c", line)
	cmd.Dir = h.workspace
	cmd.Env = append(os.Environ(), "HOME="+h.home, "SELF="+self, "TCP="+o.tcp, "UDP="+o.udp, "SOCKET="+o.socket, "ABSTRACT="+o.abstract, "DATAGRAMS="+o.datagrams, "MEMORY="+itoa(o.memory),
		"VICTIM="+itoa(o.victim.Process.Pid), "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=x", "GIT_AUTHOR_EMAIL=x@example.org", "GIT_COMMITTER_NAME=x", "GIT_COMMITTER_EMAIL=x@example.org")
	cmd.WaitDelay = 10 * time.Second
	return cmd
}

// use returns the sandbox with a backend, or skips the test if the backend is not available.
func use(t *testing.T, backend sandbox.Backend) *sandbox.Sandbox {
	t.Helper()
	s, err := sandbox.Use(backend)
	if err != nil {
		t.Skip(err)
	}
	return s
}

// eachBackend runs a test with every backend that restricts commands.
func eachBackend(t *testing.T, test func(t *testing.T, s *sandbox.Sandbox)) {
	for _, backend := range []sandbox.Backend{sandbox.Namespaces, sandbox.Landlock} {
		t.Run(backend.String(), func(t *testing.T) {
			t.Parallel()
			test(t, use(t, backend))
		})
	}
}

func trimmed(text string) string { return strings.TrimSpace(text) }
