package sandbox

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"agent/internal/sandbox/launcher"
	"agent/internal/sandbox/supervisor"
)

// If the program is killed after it has sent a command and before the command runs, the command
// never runs (reliability F5).
func TestNothingBeginsWithoutTheProgram(t *testing.T) {
	t.Parallel()
	s, err := Use(Namespaces)
	if err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	policy, err := Policy{Profile: ProfileWork, Workspace: dir, Temp: t.TempDir(), Grace: time.Second}.resolve(dir, Namespaces)
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		spec := policy.spec(nil, nil)
		spec.Path, spec.Args, spec.Env, spec.Dir = "/bin/sh", []string{"sh", "-c", "echo began; : > began"}, os.Environ(), dir
		cmd := exec.Command(spec.Path)
		p, err := newProcess(cmd)
		if err != nil {
			t.Fatal(err)
		}
		pid, ours, err := s.shared.holders.start(policy, supervisor.Request{}, p.files)
		p.started()
		if err != nil {
			t.Fatal(err)
		}
		if err := p.attach(context.Background(), pid); err != nil {
			t.Fatal(err)
		}
		// The helper reads nothing before the program has ended, however busy the machine is.
		if err := errors.Join(syscall.Kill(pid, syscall.SIGSTOP), launcher.Send(ours, &spec), ours.Close(), syscall.Kill(pid, syscall.SIGCONT)); err != nil {
			t.Fatal(err)
		}
		_ = p.wait()
		if _, err := os.Stat(filepath.Join(dir, "began")); err == nil {
			t.Fatal("the command began although the program was gone")
		}
	}
}
