package sandbox_test

import (
	"bytes"
	"context"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"agent/internal/sandbox"
)

// A server that a command starts can be reached by later commands of the session, and by no other
// process.
func TestCommandsShareALoopback(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	s := use(t, sandbox.Namespaces)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	server := h.command(`SANDBOX_TEST_TOOL=serve exec $SELF address`)
	serving, err := s.Start(ctx, server, h.policy(sandbox.ProfileWork))
	if err != nil {
		t.Fatal(err)
	}
	h.waitFor("address")
	const call = `SANDBOX_TEST_TOOL=dial $SELF tcp $(cat address)`
	if got := h.run(s, h.policy(sandbox.ProfileWork), call); got.exit != 0 {
		t.Errorf("the next command: %+v", got)
	}
	if got := h.run(s, h.policy(sandbox.ProfileReadOnly), call); got.exit == 0 {
		t.Errorf("one that only looks: %+v", got)
	}
	if got := h.run(use(t, sandbox.Namespaces), h.policy(sandbox.ProfileWork), call); got.exit == 0 {
		t.Errorf("another session: %+v", got)
	}
	address, err := os.ReadFile(h.workspace + "/address")
	if err != nil {
		t.Fatal(err)
	}
	if connection, err := net.Dial("tcp", string(address)); err == nil {
		connection.Close()
		t.Error("it is reached from outside")
	}
	cancel()
	if err := serving.Wait(); err == nil {
		t.Error("the server was not ended")
	}
	if got := h.run(s, h.policy(sandbox.ProfileWork), call); got.exit == 0 {
		t.Errorf("after its end: %+v", got)
	}
	// The network of other sessions is still restricted by the sandbox.
	for _, line := range []string{`SANDBOX_TEST_TOOL=dial $SELF tcp $TCP`, `SANDBOX_TEST_TOOL=dial $SELF tcp 192.0.2.1:9`, `SANDBOX_TEST_TOOL=dial $SELF unix $ABSTRACT`} {
		if got := h.run(s, h.policy(sandbox.ProfileWork), line); got.exit == 0 {
			t.Errorf("%s: %+v", line, got)
		}
	}
}

// A command can reach another command of its session only over the network.
func TestCommandsAreApart(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	s := use(t, sandbox.Namespaces)
	first := h.command(`export KEY=hunter2; touch ready; exec sleep 600`)
	running, err := s.Start(t.Context(), first, h.policy(sandbox.ProfileWork))
	if err != nil {
		t.Fatal(err)
	}
	h.waitFor("ready")
	for _, line := range []string{
		`kill -0 ` + itoa(first.Process.Pid), `grep -qs hunter2 /proc/*/environ`, `pgrep -x sleep`, `ls /proc/` + itoa(first.Process.Pid), `pkill -f holder`, `grep -qs "[h]older" /proc/*/cmdline /proc/*/comm`,
	} {
		if got := h.run(s, h.policy(sandbox.ProfileWork), "exec 2>/dev/null\n"+line); got.exit == 0 {
			t.Errorf("%s: %+v", line, got)
		}
	}
	if err := syscall.Kill(first.Process.Pid, syscall.SIGKILL); err != nil {
		t.Error("it is gone")
	}
	_ = running.Wait()
}

// A killed holder is replaced.
func TestTheHolderIsReplaced(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	s := use(t, sandbox.Namespaces)
	for range 3 {
		if got := h.run(s, h.policy(sandbox.ProfileWork), `echo fine`); trimmed(got.output) != "fine" {
			t.Fatalf("%+v", got)
		}
		s.KillHolders()
	}
}

// A holder can be killed between the start of a helper and its report. That unknown helper gets no
// work. The helper of the next holder gets it.
func TestUnknownHelperGetsNoWork(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	s := use(t, sandbox.Namespaces)
	read := s.KillHolderAsItStarts(t)
	if got := h.run(s, h.policy(sandbox.ProfileWork), `echo fine`); trimmed(got.output) != "fine" {
		t.Errorf("%+v", got)
	}
	if got := <-read; got != "" {
		t.Errorf("it read %q", got)
	}
}

// Input, output and cancellation by a context work as in package exec.
func TestFilesOfACommand(t *testing.T) {
	t.Parallel()
	eachBackend(t, func(t *testing.T, s *sandbox.Sandbox) {
		h := newHouse(t)
		cmd := h.command(`cat; echo error >&2; test ! -t 0`)
		var out, failed bytes.Buffer
		cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(strings.Repeat("input\n", 50_000)), &out, &failed
		c, err := s.Start(t.Context(), cmd, h.policy(sandbox.ProfileReadOnly))
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Wait(); err != nil || out.Len() != 300_000 || failed.String() != "error\n" {
			t.Errorf("%v, %d bytes, %q", err, out.Len(), failed.String())
		}
		ctx, cancel := context.WithCancel(t.Context())
		cmd = h.command(`exec sleep 600`)
		if c, err = s.Start(ctx, cmd, h.policy(sandbox.ProfileReadOnly)); err != nil {
			t.Fatal(err)
		}
		if s.Backend() == sandbox.Namespaces { // for other backends the context comes from the creation of cmd
			cancel()
		} else if err := cmd.Process.Kill(); err != nil {
			t.Error(err)
		}
		began := time.Now()
		if err := c.Wait(); err == nil || time.Since(began) > 30*time.Second {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		cancel()
	})
}
