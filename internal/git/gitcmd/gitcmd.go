// Package gitcmd runs git so that a repository cannot make git run other programs.
//
// The configuration, attributes and hooks of a repository can make git run programs: file system
// monitors, filters, differs, pagers, signature checkers, transports. Anybody can write a
// repository, so this package sets variables that turn these off. UnsafeKeys lists the remaining settings
// of a repository that are not known to be harmless.
package gitcmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	"agent/internal/sandbox"
)

// overrides lists settings by which a repository could run programs, or by which git could find a
// repository in an unexpected place.
var overrides = [][2]string{
	{"safe.bareRepository", "explicit"}, // the content of a folder in the work tree does not make it a repository
	{"core.fsmonitor", "false"},
	{"core.hooksPath", os.DevNull},
	{"core.pager", "cat"},
	{"core.alternateRefsCommand", "false"},
	{"diff.autoRefreshIndex", "false"},
	{"log.showSignature", "false"},
	{"gpg.program", "false"},
	{"gpg.ssh.program", "false"},
	{"gpg.x509.program", "false"},
	{"submodule.recurse", "false"},
	{"status.submoduleSummary", "false"},
	{"maintenance.auto", "false"},
	{"gc.auto", "0"},
}

// SafeVariables returns the environment variables that prevent a repository from making git run
// programs, use the network or write.
func SafeVariables() []string {
	variables := []string{
		"GIT_OPTIONAL_LOCKS=0", "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none", "GIT_PROTOCOL_FROM_USER=0", "GIT_TERMINAL_PROMPT=0",
		"GIT_PAGER=cat", "GIT_EDITOR=true", "GIT_FLUSH=0",
		fmt.Sprintf("GIT_CONFIG_COUNT=%d", len(overrides)),
	}
	for i, override := range overrides {
		variables = append(variables, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", i, override[0]), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", i, override[1]))
	}
	return variables
}

// Output runs git in a folder and returns its output. If the system has a sandbox, git runs in it.
// If git fails, the error is an *exec.ExitError with git's messages, as in [exec.Cmd.Output].
func Output(ctx context.Context, dir string, args ...string) ([]byte, error) {
	return OutputWithInput(ctx, dir, nil, args...)
}

// OutputWithInput is like Output, but git reads its standard input from in.
func OutputWithInput(ctx context.Context, dir string, in io.Reader, args ...string) ([]byte, error) {
	var out bytes.Buffer
	err := Run(ctx, dir, in, &out, args...)
	return out.Bytes(), err
}

// Run is like OutputWithInput, but writes the output to out as it arrives.
func Run(ctx context.Context, dir string, in io.Reader, out io.Writer, args ...string) error {
	program, err := sandbox.LookPath("git", os.Getenv("PATH"), dir)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = dir
	cmd.Env = append(sandbox.PlainEnviron(os.Environ(), dir), SafeVariables()...)
	cmd.WaitDelay = time.Second
	var said bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, out, &said
	running, err := sandbox.Confinement{Sandbox: sandbox.Detect(), Policy: sandbox.Policy{Workspace: dir}}.Start(ctx, cmd, sandbox.ProfileReadOnly)
	if err != nil {
		return err
	}
	err = running.Wait()
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		failed.Stderr = said.Bytes()
	}
	return err
}
