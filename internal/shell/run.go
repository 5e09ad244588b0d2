// Package shell runs command lines, in the foreground or in the background. A conversation owns one
// [Jobs], which runs each [Command] and returns a [Result] or a background [Job].
//
// A command has no terminal and no input. It is the head of a separate process group. However it
// ends, no process of that group remains. Its output is turned into plain text. The memory for the
// output does not depend on its size. The beginning and the end are kept in memory, and a file of
// limited size receives the whole output.
package shell

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"agent/internal/base/humanize"
	"agent/internal/cmdline"
	"agent/internal/sandbox"
)

// Command is a command line or a program to run.
type Command struct {
	Line string
	// Args are the arguments of the program Line. If Args is nil, Line is a command line.
	Args []string
	// Input is the standard input, and Environ lists additional variables.
	Input   []byte
	Environ []string
	// Reading is the parsed command line, if it has been parsed already. It is needed to report the
	// exit codes of a pipe at the end of the line.
	Reading *cmdline.CommandLine
	// Dir is the absolute path of the start folder.
	Dir string
	// Timeout is the longest running time, or 0 for no limit.
	Timeout time.Duration
	// OutputBytes is the approximate limit on the returned output.
	OutputBytes int
	// Fit, if not nil, shortens an output to a number of bytes. It returns the complete text, or
	// its beginning and its end. omitted is set if lines are missing.
	Fit func(text string, limit int) (head, tail string, omitted bool)
	// SpoolDir is the folder for a file with the complete output. If it is empty, output beyond the
	// limit is lost.
	SpoolDir string
	// Leaves is set if the command may become a job while a caller waits for it. Call is the number
	// with which Background finds the command.
	Leaves bool
	Call   int
	// ReadOnly is set if the command is known to be read-only, so that it needed no approval. Such
	// a command gets only environment variables that cannot change the effect of its programs.
	ReadOnly bool
	// Distrusted lists the folders that commands may write. The PATH of a read-only or unconfined
	// command omits them.
	Distrusted []string
	// FoundInside is set if a user approved the programs that PATH finds in a distrusted folder.
	// Typed is set if the user typed the command. In both cases PATH stays unchanged.
	FoundInside, Typed bool
	// Confined is the sandbox of the command. Profile is the set of its rights there.
	Confined sandbox.Confinement
	Profile  sandbox.Profile
}

// Read returns the parsed command line.
func (c Command) Read() *cmdline.CommandLine {
	if c.Reading == nil {
		return cmdline.Read(c.Line)
	}
	return c.Reading
}

// ExitNotFound is the exit code of a shell that cannot find a program.
const ExitNotFound = 127

// ExitInfo reports how a command ended.
type ExitInfo struct {
	// NotStarted is the reason why the command did not start, nil if it started.
	NotStarted error
	// Exit is the exit code: 128 plus the number of the signal if a signal ended the command.
	Exit int
	// Signal is the name of the signal that ended the shell, "" for none. A program can also exit
	// with a code above 128 without a signal, as git does for usage errors.
	Signal string
	// Hidden lists the commands of the last pipe that failed although the line succeeded, each with
	// its exit code, such as "go test: 1".
	Hidden []string
	// TimedOut is set if the command was ended after its Timeout. Interrupted is set if its caller
	// stopped it.
	TimedOut, Interrupted bool
	// LeftBehind is set if the command left background processes, which were then ended.
	LeftBehind bool
	// TooMany is set if the command was ended because it had too many processes.
	TooMany bool
	// Undone lists the protected files that the command changed and the sandbox restored.
	Undone []string
	// Unwatched is set if the workspace has more folders than the survey visits, so that Undone
	// may be incomplete.
	Unwatched bool
	// ColdCaches lists the caches of build tools that were empty before the command and that it has
	// started to fill.
	ColdCaches []string
	// Took is the running time.
	Took time.Duration
}

// Outcome returns a few words on how a command ended and how long it ran, such as "exit 1 after
// 2m03s".
func (e ExitInfo) Outcome() string {
	took := humanize.Duration(e.Took)
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

// ExitCode returns the exit code, or nil for a command that did not end by itself.
func (e ExitInfo) ExitCode() *int {
	if e.TimedOut || e.Interrupted {
		return nil
	}
	return &e.Exit
}

// ExitText returns the exit code, followed by the signal or the hidden failures in parentheses.
func (e ExitInfo) ExitText() string {
	if len(e.Hidden) > 0 {
		return fmt.Sprintf("exit %d (%s)", e.Exit, strings.Join(e.Hidden, ", "))
	}
	if e.Signal != "" {
		return fmt.Sprintf("exit %d (%s)", e.Exit, e.Signal)
	}
	return fmt.Sprintf("exit %d", e.Exit)
}

var errTimedOut = errors.New("timed out")

// run calls carryOut and writes the output to out as plain text.
func (j *Jobs) run(ctx, hurried context.Context, c Command, out io.Writer) ExitInfo {
	clean := &cleaner{to: out}
	defer clean.flush()
	return j.carryOut(ctx, hurried, c, clean, clean)
}

// carryOut runs a command to its end. When hurried ends, the processes get at most hurriedGrace
// before they are killed.
//
// The command has no terminal and only the given input, so that it cannot wait for an answer. It is
// the head of a separate session and process group. None of its processes remains when carryOut
// returns.
func (j *Jobs) carryOut(ctx, hurried context.Context, c Command, stdout, stderr io.Writer) ExitInfo {
	began := time.Now()
	if c.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, c.Timeout, errTimedOut)
		defer cancel()
	}
	program := j.shell(c.Distrusted)
	pipe := newPipeStates(c, program)
	cmd := j.prepare(ctx, c, program, pipe)
	cmd.Dir = c.Dir
	cmd.Env = append(j.environment(c), c.Environ...)
	cmd.Stdout, cmd.Stderr = stdout, stderr
	if c.Input != nil {
		cmd.Stdin = bytes.NewReader(c.Input)
	}
	cmd.Cancel = func() error { return sandbox.AskGroup(cmd.Process.Pid) }
	// Children that keep the output open must not delay the end.
	cmd.WaitDelay = j.Grace
	policy := c.Confined
	policy.Policy.Grace = j.Grace
	if !policy.Guarantees(c.Profile).Ends {
		j.groups.Watch()
	}
	running, err := policy.Start(ctx, cmd, c.Profile)
	if err != nil {
		if context.Cause(ctx) == errTimedOut { // the timeout passed before the sandbox was ready
			return ExitInfo{TimedOut: true, Exit: 128 + int(syscall.SIGKILL), Took: time.Since(began)}
		}
		if _, gone := os.Stat(c.Dir); gone != nil {
			err = fmt.Errorf("can't enter the working folder: %w", gone)
		}
		if tooLong(err) {
			err = TooLongError(c.Line)
		}
		return ExitInfo{NotStarted: err, Interrupted: ctx.Err() != nil, Took: time.Since(began)}
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
	// The ending is determined from ProcessState and ctx.
	_ = running.Wait()
	left := endGroup(cmd.Process.Pid, j.Grace) || running.End().LeftBehind
	gone()
	close(over)
	unhurried()

	end := ExitInfo{Took: time.Since(began), TooMany: running.End().TooMany, Undone: running.End().Undone, Unwatched: running.End().Unwatched, ColdCaches: running.End().ColdCaches}
	end.Hidden = pipe.failedCommands()
	end.Exit, end.Signal = exitCode(cmd.ProcessState, running.End().Signal)
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

// prepare returns the exec.Cmd that runs c with the shell program.
func (j *Jobs) prepare(ctx context.Context, c Command, program string, pipe *pipeStates) *exec.Cmd {
	kind := kindOf(program)
	var args []string
	switch {
	case kind == Bash:
		args = c.arguments(pipe)
	case c.Args != nil: // other shells would parse the arguments again
		if program = c.Line; filepath.Base(program) == program {
			program, _ = j.LookPath(c.Line, c.Distrusted...)
		}
		args = c.Args
	case kind.IsPowerShell():
		args = powerArguments(c.Line)
	}
	cmd := exec.CommandContext(ctx, program, args...)
	sandbox.SetNewGroup(cmd)
	if kind == Cmd && c.Args == nil {
		giveLine(cmd, program, c.Line)
	}
	return cmd
}

// shell returns the path of the shell that runs command lines. This is the preferred shell, or else
// the first that is installed.
func (j *Jobs) shell(distrusted []string) string {
	for _, kind := range append([]Kind{j.Preferred}, shells...) {
		if path := j.find(kind, distrusted); path != "" {
			return path
		}
	}
	return lastShell
}

// Kind returns the kind of the shell that runs command lines.
func (j *Jobs) Kind() Kind {
	if len(shells) == 1 && j.Preferred != PowerShell {
		return shells[0]
	}
	return kindOf(j.shell(nil))
}

// Shell returns the name of the shell for the model.
func (j *Jobs) Shell() string {
	program := j.shell(nil)
	if name, ok := shellNames[kindOf(program)]; ok {
		return name
	}
	return filepath.Base(program)
}

// LookPath returns the program that a read-only command runs for a name. It returns an error if the
// program, with links followed, is in one of the distrusted folders.
func (j *Jobs) LookPath(name string, distrusted ...string) (string, error) {
	return sandbox.LookPath(name, sandbox.Variable(j.environ, "PATH"), distrusted...)
}

// LookPathInside returns the program that the user's PATH finds for a name in one of the distrusted
// folders. It returns "" if the program is not in such a folder.
func (j *Jobs) LookPathInside(name string, distrusted ...string) string {
	return sandbox.LookPathInside(name, sandbox.Variable(j.environ, "PATH"), distrusted...)
}
