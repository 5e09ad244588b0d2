// Package sandbox runs commands so that they can do no more than they may: look at
// the disk, or also change the workspace, but not read keys, change anything else,
// reach the network, or outlive the program.
//
// What a command may do is a Policy. How it is kept to that is a Backend, of which
// there are three, the first that works being used:
//
//   - helper (Linux): new user, mount, process, network and IPC namespaces, with
//     Landlock and seccomp on top. The program starts itself again to set them up,
//     see package confine. All that is said above holds.
//   - thread (Linux, where namespaces are forbidden, as in most containers):
//     Landlock and seccomp on the one thread that starts the command. There is no
//     network at all, what must stay read-only inside the workspace is put back
//     afterwards instead, and rights, owners and times of files, which Landlock does
//     not judge, are changed by this program for the command, where they may be.
//   - seatbelt (macOS): a profile for sandbox-exec. Untried.
//
// Where none works a command runs as it is, which the caller learns once and has
// to ask about. The package knows neither tools nor settings.
package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Backend is a way to confine commands.
type Backend int

// The backends, weakest first.
const (
	// None does not confine.
	None Backend = iota
	// Seatbelt is sandbox-exec of macOS.
	Seatbelt
	// Thread is Landlock and seccomp alone.
	Thread
	// Helper is namespaces, Landlock and seccomp.
	Helper
)

// String is the name of the backend.
func (b Backend) String() string {
	return [...]string{"none", "seatbelt", "thread", "helper"}[b]
}

// Sandbox confines commands by one backend. It is safe for parallel use.
type Sandbox struct {
	backend Backend
	why     string
	// keeps is what the backend keeps between commands.
	keeps keeps
}

// Backend is how commands are confined, None when they are not.
func (s *Sandbox) Backend() Backend { return s.backend }

// Why says in a line what the backend consists of here, and why no better one is
// used.
func (s *Sandbox) Why() string { return s.why }

// Active reports whether commands are confined.
func (s *Sandbox) Active() bool { return s.backend != None }

// Off returns a sandbox that confines nothing, for the reason why.
func Off(why string) *Sandbox { return &Sandbox{backend: None, why: why} }

// Detect returns the best sandbox there is here. It tries each by running nothing
// in it, which takes some milliseconds the first time.
var Detect = sync.OnceValue(func() *Sandbox {
	var refused []string
	for _, backend := range backends {
		s, err := Use(backend)
		if err == nil {
			s.why = strings.Join(append([]string{s.why}, refused...), "; ")
			return s
		}
		refused = append(refused, err.Error())
	}
	if len(refused) == 0 {
		refused = []string{"there is none for this system"}
	}
	return Off(strings.Join(refused, "; "))
})

// Use returns a sandbox of that backend, or why it does not work here.
func Use(backend Backend) (*Sandbox, error) {
	if backend == None {
		return Off("turned off"), nil
	}
	keepDescriptors()
	s := &Sandbox{backend: backend}
	var err error
	if s.why, err = s.try(); err != nil {
		return nil, fmt.Errorf("no %s: %w", backend, err)
	}
	return s, nil
}

// Command is a command that runs in a sandbox.
type Command struct {
	cmd *exec.Cmd
	// wait waits for the process, like cmd.Wait.
	wait func() error
	// finish is called after the process has ended.
	finish func() End
	// kill ends the process and all that it started by force.
	kill  func()
	guard *guard
	end   End
}

// End is what is known at the end of a command besides its exit status.
type End struct {
	// LeftBehind says that it had left processes behind, which were ended.
	LeftBehind bool
	// TooMany says that it was ended for having more processes than a command may.
	TooMany bool
	// Undone are the protected files that it had changed all the same, which were put
	// back as they were.
	Undone []string
	// Unwatched says that the workspace has more folders than are looked into, so that
	// there may be more of them.
	Unwatched bool
}

// defaultGrace is how long what a command leaves behind has to end when asked to.
const defaultGrace = 2 * time.Second

// Start starts cmd, which must be ready to be started and have no extra files, so
// that it may do what policy says and no more. It inherits the standard files only. It ends with this process at the
// latest, also when that is killed. cmd.Process is the process to signal; signals
// for the command go to its process group.
//
// An error that says so is about the sandbox (its text begins with "the sandbox"); others are those of
// cmd.Start. Commands of one sandbox share a loopback device. ctx is the context that
// cmd was made with.
func (s *Sandbox) Start(ctx context.Context, cmd *exec.Cmd, policy Policy) (*Command, error) {
	if cmd.Err != nil {
		return nil, cmd.Err
	}
	if len(cmd.ExtraFiles) > 0 {
		return nil, errors.New("sandbox: a confined command gets no extra files")
	}
	keepDescriptors()
	backend := s.backend
	if policy.Profile == Open {
		backend = None
	}
	policy, err := policy.resolve(cmd.Dir, backend)
	if err != nil {
		return nil, &setupError{err}
	}
	started := &Command{cmd: cmd, wait: cmd.Wait, finish: func() End { return End{} }}
	started.kill = func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	if backend != None {
		started.guard = newGuard(policy, backend)
		cmd.Env = append(cmd.Environ(), policy.environ()...)
		cmd.Env = cmd.Environ() // keeps the last of two variables of one name
	}
	if err := s.start(ctx, backend, started, policy); err != nil {
		return nil, err
	}
	started.guard.begin()
	return started, nil
}

// Wait waits for the command to end, like cmd.Wait.
func (c *Command) Wait() error {
	err := c.wait()
	c.end = c.finish()
	c.end.Undone, c.end.Unwatched = c.guard.end()
	return err
}

// Kill ends the command by force, which must be the head of its process group, and all
// that it started. Wait returns soon after.
func (c *Command) Kill() { c.kill() }

// End is what is known of a command's end besides its exit status, after Wait.
func (c *Command) End() End { return c.end }

// setupError is why the sandbox could not be set up. The command did not run.
type setupError struct{ Err error }

func (e *setupError) Error() string { return "the sandbox could not be set up: " + e.Err.Error() }

// Unwrap returns the reason.
func (e *setupError) Unwrap() error { return e.Err }
