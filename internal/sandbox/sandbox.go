// Package sandbox runs commands with fewer rights than the user has. A confined command may read
// the disk and, depending on its profile, change the workspace. It cannot read secret files, change
// anything else, reach the network, or outlive the program.
//
// A Policy lists the rights of a command, and a Sandbox starts commands by a Backend that
// enforces the policy. A conversation owns one Confinement, which is a Sandbox with the policy of
// the conversation. There are three backends, and Detect uses the first that works:
//
//   - helper (Linux): new user, mount, process, network and IPC namespaces, with
//     Landlock and seccomp on top. The program starts itself again to set them up,
//     see package launcher. Every restriction above applies.
//   - thread (Linux, where namespaces are forbidden, as in most containers):
//     Landlock and seccomp on the one thread that starts the command. There is no
//     network at all. Protected files inside the workspace can be changed, and are
//     restored afterwards. Landlock does not control the mode, owner and times of
//     files, so this program makes such changes for the command where they are allowed.
//   - seatbelt (macOS): a profile for sandbox-exec. Untried.
//
// If none works, commands run unconfined. Active and Describe report this to the caller, which must ask
// the user. The package depends on neither tools nor settings.
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
	// None does not confine commands.
	None Backend = iota
	// Seatbelt uses sandbox-exec of macOS.
	Seatbelt
	// Landlock uses Landlock and seccomp alone.
	Landlock
	// Namespaces uses namespaces, Landlock and seccomp.
	Namespaces
)

// String returns the name of the backend.
func (b Backend) String() string {
	return [...]string{"none", "seatbelt", "thread", "helper"}[b]
}

// Sandbox confines commands by one backend. It is safe for parallel use.
type Sandbox struct {
	backend Backend
	why     string
	// keepsSignals is set if no signal of a command reaches processes outside.
	keepsSignals bool
	// shared holds resources of the backend that several commands use.
	shared shared
}

// Backend returns the backend that confines commands, or None if they are not confined.
func (s *Sandbox) Backend() Backend { return s.backend }

// Describe returns one line that describes the backend and the reason why no better one is used.
func (s *Sandbox) Describe() string { return s.why }

// IsActive reports whether commands are confined.
func (s *Sandbox) IsActive() bool { return s.backend != None }

// NewUnconfined returns a sandbox that confines nothing. why is the reason that Describe returns.
func NewUnconfined(why string) *Sandbox { return &Sandbox{backend: None, why: why} }

// Detect returns the best sandbox that works on this system. It tries each backend with an empty
// command, which takes some milliseconds at the first call.
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
		refused = []string{"agent has no sandbox for this system"}
	}
	return NewUnconfined(strings.Join(refused, "; "))
})

// Use returns a sandbox with the given backend. It returns an error with the reason if the backend
// does not work on this system.
func Use(backend Backend) (*Sandbox, error) {
	if backend == None {
		return NewUnconfined("turned off"), nil
	}
	closeDescriptorsOnExec()
	s := &Sandbox{backend: backend}
	var err error
	if s.why, err = s.try(); err != nil {
		return nil, fmt.Errorf("no %s: %w", backend, err)
	}
	return s, nil
}

// Command is a command that was started in a sandbox.
type Command struct {
	cmd *exec.Cmd
	// wait waits for the process, like cmd.Wait.
	wait func() error
	// finish cleans up after the process has ended.
	finish func() EndReport
	// kill kills the process and every process that it started.
	kill  func()
	guard *guard
	// cold lists the caches that were empty before the command.
	cold []Cache
	end  EndReport
}

// EndReport reports how a command ended, besides its exit status.
type EndReport struct {
	// LeftBehind is set if the command left processes behind. The sandbox has ended them.
	LeftBehind bool
	// Signal is the signal that ended the command, if its exit status does not show it.
	Signal syscall.Signal
	// TooMany is set if the sandbox ended the command because it had too many processes.
	TooMany bool
	// Undone lists the protected files that the command changed and the sandbox restored.
	Undone []string
	// ColdCaches lists the caches of build tools that were empty before the command and that it has
	// started to fill.
	ColdCaches []string
	// Unwatched is set if the workspace has more folders than the survey visits, so that Undone
	// may be incomplete.
	Unwatched bool
}

// defaultGrace is the usual time from the request to end the remaining processes of a command until
// they are killed.
const defaultGrace = 2 * time.Second

// Start starts cmd with the rights that policy grants. cmd must be ready to start and have no extra
// files, because the process inherits only the standard files. The process ends with this program
// at the latest, even if this program is killed. Send signals for the command to the process group
// of cmd.Process.
//
// If the sandbox itself fails, the text of the error begins with "the sandbox"; other errors come
// from cmd.Start. Commands of one sandbox share a loopback device. ctx is the context with which
// cmd was created.
func (s *Sandbox) Start(ctx context.Context, cmd *exec.Cmd, policy Policy) (*Command, error) {
	if cmd.Err != nil {
		return nil, cmd.Err
	}
	if len(cmd.ExtraFiles) > 0 {
		return nil, errors.New("sandbox: a confined command can't have extra files")
	}
	closeDescriptorsOnExec()
	backend := s.backend
	if policy.Profile == ProfileUnconfined {
		backend = None
	}
	policy, err := policy.resolve(cmd.Dir, backend)
	if err != nil {
		return nil, &setupError{err}
	}
	started := &Command{cmd: cmd, wait: cmd.Wait, finish: func() EndReport { return EndReport{} }}
	started.kill = func() { KillGroup(cmd.Process.Pid) }
	if backend != None {
		policy.layered = s.layer(policy, backend)
		policy.copyCaches(ctx)
		started.cold = policy.emptyCaches()
		started.guard = newGuard(policy, backend)
		cmd.Env = append(cmd.Environ(), policy.environ()...)
		cmd.Env = cmd.Environ() // removes duplicates of a variable, the last value stays
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
	c.end.ColdCaches = filled(c.cold)
	return err
}

// Kill kills the command and every process that it started. The command must be the head of its
// process group. Wait returns soon after.
func (c *Command) Kill() { c.kill() }

// End reports how the command ended. It is valid after Wait.
func (c *Command) End() EndReport { return c.end }

// setupError is returned if the sandbox could not be set up. The command did not run.
type setupError struct{ Err error }

func (e *setupError) Error() string { return "can't set up the sandbox: " + e.Err.Error() }

// Unwrap returns the cause.
func (e *setupError) Unwrap() error { return e.Err }
