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

	"agent/internal/sandbox/confine"
)

// keeps is what is kept between commands.
type keeps struct {
	holders  holders
	rulesets rulesets
}

// backends are those of this system, best first.
var backends = []Backend{Helper, Thread}

func (s *Sandbox) start(ctx context.Context, backend Backend, c *Command, policy Policy) error {
	switch backend {
	case Helper:
		return c.startHelper(ctx, &s.keeps.holders, policy)
	case Thread:
		return c.startOnThread(policy, func() (*changes, error) { return s.keeps.rulesets.confineThread(policy) })
	default:
		return c.startOnThread(policy, func() (*changes, error) { return nil, nil })
	}
}

// try finds out whether a backend works, and describes it.
func (s *Sandbox) try() (string, error) {
	abi := landlockABI()
	switch s.backend {
	case Helper:
		if err := tryHelper(&s.keeps.holders); err != nil {
			return "", err
		}
		if abi < helperABI {
			return "namespaces and seccomp; the kernel has no Landlock", nil
		}
		return fmt.Sprintf("namespaces, Landlock %d and seccomp", abi), nil
	case Thread:
		if abi < threadABI {
			return "", fmt.Errorf("the kernel's Landlock is version %d, %d is needed", abi, threadABI)
		}
		return fmt.Sprintf("Landlock %d and seccomp; commands have no network of their own, and git's hooks are put back after a command instead of being read-only", abi), nil
	}
	return "", errors.New("it is not for this system")
}

// startOnThread starts the command from a thread of its own, which lives until the
// command has ended: the kernel kills the command with it, also when this program
// is killed.
func (c *Command) startOnThread(policy Policy, restrict func() (*changes, error)) error {
	attributes(c.cmd).Pdeathsig = syscall.SIGKILL
	left := newStrays()
	c.cmd.Env = append(c.cmd.Environ(), left.mark.String())
	started, ended := make(chan error, 1), make(chan struct{})
	var made *changes
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
	left.after = c.cmd.Process.Pid
	// Where that is refused, as it is within another sandbox, the variable is the mark.
	_ = setMark(left.after, left.mark)
	var tooMany atomic.Bool
	if !policy.Stays {
		go confine.Bound(policy.processes, left.count, func() {
			tooMany.Store(true)
			left.kill(c.cmd.Process.Pid)
		}, ended)
	}
	c.kill = func() { left.kill(c.cmd.Process.Pid) }
	c.finish = func() End {
		close(ended)
		defer made.close()
		return End{LeftBehind: left.end(policy.Grace), TooMany: tooMany.Load()}
	}
	return nil
}

// attributes are those that cmd is started with, for changing.
func attributes(cmd *exec.Cmd) *syscall.SysProcAttr {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	return cmd.SysProcAttr
}

// onOwnThread runs f on a thread that ends with it: it is never unlocked. It is
// never the main thread, which would not end, and by whose rights the kernel judges
// which users may signal and read this program.
func onOwnThread(f func()) {
	began := make(chan struct{})
	go func() {
		runtime.LockOSThread()
		if unix.Gettid() == os.Getpid() {
			onOwnThread(f) // holds the main thread until f has another
			runtime.UnlockOSThread()
			close(began)
			return
		}
		close(began)
		f()
	}()
	<-began
}
