package sandbox_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"agent/internal/sandbox"
)

// No process outlives its command, not even a process that left the session.
func TestNothingIsLeft(t *testing.T) {
	t.Parallel()
	eachBackend(t, func(t *testing.T, s *sandbox.Sandbox) {
		h := newHouse(t)
		// Neither does a process that clears its environment or would reset the limit that marks
		// it. The mark is set shortly after the start.
		marked := "true"
		if s.Backend() == sandbox.Landlock {
			marked = "grep -q 'realtime timeout *[0-9]' /proc/$$/limits"
		}
		for i, by := range []string{"setsid", "env -i setsid", "ulimit -R 5; env -i setsid"} {
			pipe := fmt.Sprint("pipe", i)
			got := h.run(s, h.policy(sandbox.ProfileWork), `until `+marked+`; do :; done; rm -f up; mkfifo `+pipe+`; (`+by+` sh -c 'exec 9<>`+pipe+`; echo up > up; exec sleep 600' >/dev/null 2>&1 &); while ! [ -s up ]; do sleep 0.01; done; exit 7`)
			if got.exit != 7 || !got.left {
				t.Errorf("%s: %+v", by, got)
			}
			h.pipeIsFree(pipe)
		}
		if got := h.run(s, h.policy(sandbox.ProfileWork), `true`); got.left {
			t.Error("a command that left nothing is said to have left something")
		}
	})
}

// pipeIsFree waits until no process has the named pipe open.
func (h *house) pipeIsFree(name string) {
	h.t.Helper()
	deadline := time.Now().Add(time.Minute)
	for {
		fd, err := syscall.Open(filepath.Join(h.workspace, name), syscall.O_WRONLY|syscall.O_NONBLOCK, 0)
		if err == syscall.ENXIO {
			return
		}
		if err == nil {
			syscall.Close(fd)
		}
		if time.Now().After(deadline) {
			h.t.Fatalf("a process is still there (%v)", err)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// If the program is killed, the command ends too. A process that left its session is ended by the
// namespace, or at the next start of the program.
func TestKillOfTheProgram(t *testing.T) {
	t.Parallel()
	for _, backend := range []sandbox.Backend{sandbox.None, sandbox.Landlock, sandbox.Namespaces} {
		t.Run(backend.String(), func(t *testing.T) {
			t.Parallel()
			use(t, backend)
			h := newHouse(t)
			program := h.command(`SANDBOX_TEST_TOOL=hold exec $SELF ` + backend.String() +
				` 'mkfifo one two; (setsid sh -c "exec 9<>two; touch up; exec sleep 600" &) ; exec 9<>one; while ! [ -e up ]; do sleep 0.01; done; touch ready; exec sleep 600'`)
			if err := program.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = program.Process.Kill(); _ = program.Wait() })
			h.waitFor("ready")
			if err := program.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = program.Wait()
			h.pipeIsFree("one")
			if backend != sandbox.Namespaces {
				sandbox.EndLeftovers()
			}
			h.pipeIsFree("two")
		})
	}
}

func (h *house) waitFor(name string) {
	h.t.Helper()
	for range 12_000 {
		if _, err := os.Lstat(filepath.Join(h.workspace, name)); err == nil {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	h.t.Fatalf("%s never came", name)
}

// Exit codes and signals of the command are returned unchanged.
func TestExitStatusIsReturned(t *testing.T) {
	t.Parallel()
	eachBackend(t, func(t *testing.T, s *sandbox.Sandbox) {
		h := newHouse(t)
		for line, want := range map[string]int{`exit 0`: 0, `exit 3`: 3, `kill -TERM $$; sleep 9`: 143, `kill -KILL $$; sleep 9`: 137, `kill -ABRT $$; sleep 9`: 134} {
			got := h.run(s, h.policy(sandbox.ProfileWork), line)
			if got.exit == -1 {
				got.exit = want // the process state contains the signal
			}
			if got.exit != want {
				t.Errorf("%s: exit %d, want %d", line, got.exit, want)
			}
		}
	})
}

// A signal to the process group ends a command without a handler, and reaches the handler of a
// command with one.
func TestKillReachesTheCommand(t *testing.T) {
	t.Parallel()
	eachBackend(t, func(t *testing.T, s *sandbox.Sandbox) {
		h := newHouse(t)
		for name, line := range map[string]string{
			"default": `touch ready; sleep 600`, "exec": `touch ready; exec sleep 600`, "handled": `trap 'touch handled; exit 9' TERM; touch ready; sleep 600 & wait`,
		} {
			_ = os.Remove(filepath.Join(h.workspace, "ready"))
			cmd := h.command(line)
			cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
			c, err := s.Start(context.Background(), cmd, h.policy(sandbox.ProfileWork))
			if err != nil {
				t.Fatal(err)
			}
			h.waitFor("ready")
			began := time.Now()
			if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM); err != nil {
				t.Error(err)
			}
			if err := c.Wait(); err == nil || time.Since(began) > time.Minute {
				t.Errorf("%s: %v after %v", name, err, time.Since(began))
			}
		}
		h.waitFor("handled")
	})
}

// A command that ignores the request to end is killed after a delay. The caller waits no longer
// than with package exec.
func TestDeafCommandEnds(t *testing.T) {
	t.Parallel()
	eachBackend(t, func(t *testing.T, s *sandbox.Sandbox) {
		h := newHouse(t)
		ctx, cancel := context.WithCancel(t.Context())
		cmd := exec.CommandContext(ctx, "bash", "-c", `trap '' TERM; mkfifo pipe; exec 9<>pipe; echo up; while :; do sleep 1; done`)
		cmd.Dir, cmd.WaitDelay = h.workspace, 100*time.Millisecond
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
		told := make(said, 1)
		cmd.Stdout = told
		c, err := s.Start(ctx, cmd, h.policy(sandbox.ProfileWork))
		if err != nil {
			t.Fatal(err)
		}
		<-told
		cancel()
		ended := make(chan struct{})
		go func() { _ = c.Wait(); close(ended) }()
		select {
		case <-ended:
		case <-time.After(time.Minute):
			_ = cmd.Process.Kill()
			t.Fatal("it is waited for without an end")
		}
		h.pipeIsFree("pipe")
	})
}

// said receives a value at the first output of a command.
type said chan struct{}

func (s said) Write(text []byte) (int, error) {
	select {
	case s <- struct{}{}:
	default:
	}
	return len(text), nil
}

// The program itself stays outside the sandbox, and no thread of a command is left.
func TestTheProgramStaysFree(t *testing.T) {
	t.Parallel()
	eachBackend(t, func(t *testing.T, s *sandbox.Sandbox) {
		h := newHouse(t)
		policy := h.policy(sandbox.ProfileReadOnly)
		for range 10 {
			h.run(s, policy, `true`)
		}
		threads := func() int {
			entries, err := os.ReadDir("/proc/self/task")
			if err != nil {
				t.Fatal(err)
			}
			return len(entries)
		}
		before, others := threads(), 8*runtime.NumCPU()
		for range others + 10 {
			h.run(s, policy, `true`)
		}
		if after := threads(); after > before+others {
			t.Errorf("%d threads before, %d after %d commands", before, after, others+10)
		}
		write(t, h.home+"/new", "x")
		if _, err := os.ReadFile(h.home + "/.ssh/id_ed25519"); err != nil {
			t.Error(err)
		}
		if out, err := exec.Command("cat", h.home+"/.ssh/id_ed25519").CombinedOutput(); err != nil {
			t.Errorf("%v %s", err, out)
		}
	})
}

func TestACommandThatCannotBeStarted(t *testing.T) {
	t.Parallel()
	eachBackend(t, func(t *testing.T, s *sandbox.Sandbox) {
		h := newHouse(t)
		cmd := exec.Command("/no/such/program")
		cmd.Dir = h.workspace
		if _, err := s.Start(context.Background(), cmd, h.policy(sandbox.ProfileWork)); err == nil || !strings.Contains(err.Error(), "/no/such/program") {
			t.Errorf("%v", err)
		}
		cmd = exec.Command("no-such-program")
		if _, err := s.Start(context.Background(), cmd, h.policy(sandbox.ProfileWork)); err == nil {
			t.Error("a program that is not there was started")
		}
	})
}

// Only the program can start the helper process.
func TestHelperIsNotForUsers(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	cmd := h.command(`exec -a agent-sandbox-helper $SELF 3</dev/null`)
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() != 125 || !strings.Contains(string(out), "internal command") {
		t.Errorf("%v %s", err, out)
	}
}

// If the disk has no room for caches, the command runs without them.
func TestNoRoomForCaches(t *testing.T) {
	t.Parallel()
	eachBackend(t, func(t *testing.T, s *sandbox.Sandbox) {
		h := newHouse(t)
		policy := h.policy(sandbox.ProfileWork)
		policy.Caches = "/proc/caches"
		if got := h.run(s, policy, "echo runs"); got.exit != 0 || trimmed(got.output) != "runs" {
			t.Errorf("%+v", got)
		}
	})
}
