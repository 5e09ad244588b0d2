// Package shell runs command lines: those a caller waits for and those in the
// background, which a [Jobs] looks after.
//
// A command has no terminal and no input, is the head of a process group of its
// own, and leaves no process of that group behind, whatever ends it. Its output is
// made plain text. What is held of it in memory does not depend on how much it
// prints: the beginning and the end are kept, and a file, bounded too, takes the
// whole.
package shell

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"agent/internal/sandbox"
	"agent/internal/words"
)

// Command is a command line to run, and where.
type Command struct {
	Line string
	// Args are the arguments of a program, which Line names then; nil for a command line.
	Args []string
	// Input is what it reads, and Environ are variables that it gets besides.
	Input   []byte
	Environ []string
	// Pipe are the names of the commands in the pipe that Line ends with, if it does.
	Pipe []string
	// Dir is the absolute folder it starts in.
	Dir string
	// Timeout ends it; 0 means never.
	Timeout time.Duration
	// OutputBytes is about how much of its output is returned.
	OutputBytes int
	// SpoolDir is where a file may keep the whole output; without it what is not
	// returned is lost.
	SpoolDir string
	// Leaves says that it may become a job while a caller waits for it.
	Leaves bool
	// ReadOnly says that it is known to change nothing, so that nobody was asked. It
	// gets only variables that cannot change what its programs do.
	ReadOnly bool
	// Distrusted are the folders that commands may write. Where the command is read-only
	// or not confined, PATH does not lead there.
	Distrusted []string
	// FoundInside says that a person was asked about the programs that PATH finds there
	// all the same, and Typed that the user typed the command: then PATH stays as it is.
	FoundInside, Typed bool
	// Confined is the sandbox it runs in, and Profile what it may do there.
	Confined sandbox.Confinement
	Profile  sandbox.Profile
}

// NotFound is the exit code of a shell that finds no such program.
const NotFound = 127

// Ending is how a command ended.
type Ending struct {
	// NotStarted is why it never ran, nil when it did.
	NotStarted error
	// Exit is the exit code, 128 and the number when a signal ended it.
	Exit int
	// Signal is the name of that signal.
	Signal string
	// Hidden are the commands of its last pipe that failed although it did not, each with
	// its exit code, as "go test: 1".
	Hidden []string
	// TimedOut and Interrupted say that it was ended from here.
	TimedOut, Interrupted bool
	// LeftBehind says that processes it had put in the background were ended.
	LeftBehind bool
	// TooMany says that it was ended because it had started too many processes.
	TooMany bool
	// Undone are protected files that it changed all the same and that were put
	// back as they were.
	Undone []string
	// Unwatched says that the workspace has more folders than are looked after.
	Unwatched bool
	// Took is how long it ran.
	Took time.Duration
}

// Outcome says in a few words how a command ended and how long it took, e.g.
// "exit 1 after 2m03s".
func (e Ending) Outcome() string {
	took := words.Took(e.Took)
	switch {
	case e.NotStarted != nil:
		return fmt.Sprintf("not started: %v", e.NotStarted)
	case e.TimedOut:
		return "timed out after " + took
	case e.Interrupted:
		return "killed after " + took
	default:
		return e.ExitText() + " after " + took
	}
}

// ExitText is the exit code, with the signal behind it if there was one, or the failures
// that it hides.
func (e Ending) ExitText() string {
	if len(e.Hidden) > 0 {
		return fmt.Sprintf("exit %d (%s)", e.Exit, strings.Join(e.Hidden, ", "))
	}
	if e.Signal != "" {
		return fmt.Sprintf("exit %d (%s)", e.Exit, e.Signal)
	}
	return fmt.Sprintf("exit %d", e.Exit)
}

var errTimedOut = errors.New("timed out")

// run is carryOut that writes what the command prints to out, as plain text.
func (j *Jobs) run(ctx, hurried context.Context, c Command, out io.Writer) Ending {
	clean := &cleaner{to: out}
	defer clean.flush()
	return j.carryOut(ctx, hurried, c, clean, clean)
}

// carryOut runs a command to its end. When hurried ends, its processes are killed after
// hurriedGrace, however long they would have.
//
// The command has no terminal and no input but what it is given, so that it cannot wait
// for an answer. It is the head of its own session and process group, and when carryOut returns
// none of its processes is left, whatever ended it.
func (j *Jobs) carryOut(ctx, hurried context.Context, c Command, stdout, stderr io.Writer) Ending {
	began := time.Now()
	if c.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, c.Timeout, errTimedOut)
		defer cancel()
	}
	bash := j.bash(c.Distrusted)
	pipe := newStates(c, bash)
	cmd := exec.CommandContext(ctx, bash, c.arguments(pipe)...)
	cmd.Dir = c.Dir
	cmd.Env = append(j.environment(c), c.Environ...)
	cmd.Stdout, cmd.Stderr = stdout, stderr
	if c.Input != nil {
		cmd.Stdin = bytes.NewReader(c.Input)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	// Children that keep the output open must not hold up the end.
	cmd.WaitDelay = j.Grace
	policy := c.Confined
	policy.Policy.Grace = j.Grace
	if !policy.Holds(c.Profile) {
		j.groups.Watch()
	}
	running, err := policy.Start(ctx, cmd, c.Profile)
	if err != nil {
		if _, gone := os.Stat(c.Dir); gone != nil {
			err = fmt.Errorf("its folder cannot be entered: %w", gone)
		}
		if errors.Is(err, syscall.E2BIG) {
			err = TooLong(c.Line)
		}
		return Ending{NotStarted: err, Interrupted: ctx.Err() != nil, Took: time.Since(began)}
	}
	gone := j.groups.Add(cmd.Process.Pid)
	over := make(chan struct{})
	unhurried := context.AfterFunc(hurried, func() {
		select {
		case <-over:
		case <-time.After(hurriedGrace):
			running.Kill()
		}
	})
	// What its end means is in ProcessState and ctx.
	_ = running.Wait()
	left := endGroup(cmd.Process.Pid, j.Grace) || running.End().LeftBehind
	gone()
	close(over)
	unhurried()

	end := Ending{Took: time.Since(began), TooMany: running.End().TooMany, Undone: running.End().Undone, Unwatched: running.End().Unwatched}
	end.Hidden = pipe.failed()
	end.Exit, end.Signal = exitCode(cmd.ProcessState.Sys().(syscall.WaitStatus))
	switch {
	case ctx.Err() == nil:
		end.LeftBehind = left
	case context.Cause(ctx) == errTimedOut:
		end.TimedOut = true
	default:
		end.Interrupted = true
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

// bash is the shell, or the one every Unix has.
func (j *Jobs) bash(distrusted []string) string {
	if path, err := j.LookPath("bash", distrusted...); err == nil {
		return path
	}
	return "/bin/sh"
}

// Shell is the path of the shell that runs command lines.
func (j *Jobs) Shell() string { return j.bash(nil) }

// LookPath finds the program that a read-only command runs by that name. It is an error
// when it is in one of the folders distrusted, links followed.
func (j *Jobs) LookPath(name string, distrusted ...string) (string, error) {
	return sandbox.LookPath(name, sandbox.Variable(j.environ, "PATH"), distrusted...)
}

// LookPathInside returns the program that the user's PATH finds by that name in one of the
// folders distrusted, empty when it is elsewhere.
func (j *Jobs) LookPathInside(name string, distrusted ...string) string {
	return sandbox.LookPathInside(name, sandbox.Variable(j.environ, "PATH"), distrusted...)
}
