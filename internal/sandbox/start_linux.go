package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"

	"agent/internal/sandbox/launcher"
)

// shared holds resources that several commands use.
type shared struct {
	holders  holders
	rulesets rulesets
}

// backends lists the backends of this system, best first.
var backends = []Backend{Namespaces, Landlock}

func (s *Sandbox) start(ctx context.Context, backend Backend, c *Command, policy Policy) error {
	switch backend {
	case Namespaces:
		return c.startHelper(ctx, &s.shared.holders, policy)
	case Landlock:
		return c.startOnThread(policy, func() (*changer, error) { return s.shared.rulesets.confineThread(policy) })
	default:
		return c.startOnThread(policy, func() (*changer, error) { return nil, nil })
	}
}

// layer mounts layers on the user's caches for a command, and returns the caches that have one.
func (s *Sandbox) layer(policy Policy, backend Backend) []Cache {
	if backend != Namespaces {
		return nil
	}
	return s.shared.holders.layer(policy)
}

// try tests whether the backend works and returns a description of it.
func (s *Sandbox) try() (string, error) {
	abi := landlockABI()
	switch s.backend {
	case Namespaces:
		if err := tryHelper(&s.shared.holders); err != nil {
			return "", err
		}
		s.keepsSignals = true
		if abi < helperABI {
			return "namespaces and seccomp; the kernel has no Landlock", nil
		}
		return fmt.Sprintf("namespaces, Landlock %d and seccomp", abi), nil
	case Landlock:
		if abi < threadABI {
			return "", fmt.Errorf("the kernel's Landlock has version %d, but agent needs at least version %d", abi, threadABI)
		}
		s.keepsSignals = abi >= scopeABI
		return fmt.Sprintf("Landlock %d and seccomp; commands have no separate network, and agent restores git hooks after a command instead of making them read-only", abi), nil
	}
	return "", errors.New("not available on this system")
}

// startOnThread starts the command from a dedicated thread, which exists until the command has
// ended. The kernel kills the command with the thread, even if this program is killed.
func (c *Command) startOnThread(policy Policy, restrict func() (*changer, error)) error {
	attributes(c.cmd).Pdeathsig = syscall.SIGKILL
	processes := newStrays()
	c.cmd.Env = append(c.cmd.Environ(), processes.mark.String())
	started, ended := make(chan error, 1), make(chan struct{})
	var made *changer
	onOwnThread(func() {
		var err error
		if made, err = restrict(); err != nil {
			err = &setupError{err}
		} else if err = c.cmd.Start(); err != nil {
			made.close()
		}
		started <- err
		if err == nil {
			<-ended
		}
	})
	if err := <-started; err != nil {
		return err
	}
	processes.after = c.cmd.Process.Pid
	// Setting the limit fails inside another sandbox. The mark is then only in the variable.
	_ = setMark(processes.after, processes.mark)
	var tooMany atomic.Bool
	if !policy.LongRunning {
		go launcher.LimitProcesses(policy.processes, processes.count, func() {
			tooMany.Store(true)
			processes.kill(c.cmd.Process.Pid)
		}, ended)
	}
	c.kill = func() { processes.kill(c.cmd.Process.Pid) }
	c.finish = func() EndReport {
		close(ended)
		defer made.close()
		return EndReport{LeftBehind: processes.end(policy.Grace), TooMany: tooMany.Load()}
	}
	return nil
}

// attributes returns the SysProcAttr of cmd, which it creates if needed.
func attributes(cmd *exec.Cmd) *syscall.SysProcAttr {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	return cmd.SysProcAttr
}

// onOwnThread runs f on a locked thread, which ends together with f. It never uses the main thread,
// which cannot end. The kernel also uses the rights of the main thread to decide which users may
// signal and read this program.
func onOwnThread(f func()) {
	began := make(chan struct{})
	go func() {
		runtime.LockOSThread()
		if unix.Gettid() == os.Getpid() {
			onOwnThread(f) // the main thread is still locked here, so f runs on another one
			runtime.UnlockOSThread()
			close(began)
			return
		}
		close(began)
		f()
	}()
	<-began
}
