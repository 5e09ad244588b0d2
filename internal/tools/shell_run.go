package tools

import (
	"context"
	"errors"
	"io"
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// commandLine is a command to be run by the shell.
type commandLine struct {
	line string
	dir  string
	// timeout ends it; 0 means never.
	timeout time.Duration
	environ []string
	// grace is how long its processes have to end when told to.
	grace time.Duration
}

// ending is how a command ended.
type ending struct {
	// started is why it never ran, nil when it did.
	started error
	// exit is the exit code, 128 and the number when a signal ended it.
	exit   int
	signal string
	// timedOut and interrupted say that it was ended from here.
	timedOut, interrupted bool
	// leftBehind says that processes it had put in the background were ended.
	leftBehind bool
	duration   time.Duration
}

var errTimedOut = errors.New("timed out")

// run runs a command to its end and writes what it prints to out, as plain text.
//
// The command has no terminal and no input, so that it cannot wait for an answer.
// It is the head of its own session and process group, and when run returns no
// process of that group is left, whatever ended it. Only a process that moved to
// another session escapes.
func (c commandLine) run(ctx context.Context, out io.Writer) ending {
	began := time.Now()
	if c.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, c.timeout, errTimedOut)
		defer cancel()
	}
	clean := &cleaner{to: out}
	cmd := exec.CommandContext(ctx, shell(), "-c", "--", c.line)
	cmd.Dir = c.dir
	cmd.Env = c.environ
	cmd.Stdout, cmd.Stderr = clean, clean
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	// Children that keep the output open must not hold up the end.
	cmd.WaitDelay = c.grace
	if err := cmd.Start(); err != nil {
		return ending{started: err, interrupted: ctx.Err() != nil, duration: time.Since(began)}
	}
	// What its end means is in ProcessState and ctx.
	_ = cmd.Wait()
	left := endGroup(cmd.Process.Pid, c.grace)
	clean.flush()

	end := ending{duration: time.Since(began)}
	end.exit, end.signal = exitCode(cmd.ProcessState.Sys().(syscall.WaitStatus))
	switch {
	case ctx.Err() == nil:
		end.leftBehind = left
	case context.Cause(ctx) == errTimedOut:
		end.timedOut = true
	default:
		end.interrupted = true
	}
	return end
}

// exitCode is the code a shell would show, and the signal behind it, if any.
func exitCode(status syscall.WaitStatus) (code int, signal string) {
	const signalled = 128
	if status.Signaled() {
		return signalled + int(status.Signal()), unix.SignalName(status.Signal())
	}
	code = status.ExitStatus()
	if code > signalled {
		signal = unix.SignalName(syscall.Signal(code - signalled))
	}
	return code, signal
}

// shell is bash, or the shell every Unix has.
func shell() string {
	if path, err := exec.LookPath("bash"); err == nil {
		return path
	}
	return "/bin/sh"
}
