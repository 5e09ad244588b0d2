package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"go.temporal.io/sdk/activity"
)

// Agent runs tasks. Program is the path of agent. Args are the flags of every run, such as the
// model, the approval mode and --allow.
type Agent struct {
	Program string
	Args    []string
}

// Attempt is the result of one run.
type Attempt struct {
	Exit   int
	Error  string
	Answer json.RawMessage
	Patch  string
	USD    float64
	Turns  int
}

// beat is the interval of a worker's heartbeats.
const beat = time.Second

// Run runs agent once. It returns an error if the outcome of the run is unknown. The workflow
// decides what an exit status means.
func (a Agent) Run(ctx context.Context, task Task, usd float64, turns int) (Attempt, error) {
	args := append([]string{
		"-p", task.Prompt, "-C", task.Repository, "--worktree", task.ID, "--session-id", task.ID, "--output-format", "json",
		"--max-cost", strconv.FormatFloat(usd, 'f', -1, 64), "--max-turns", strconv.Itoa(turns),
	}, a.Args...)
	if len(task.Schema) > 0 {
		args = append(args, "--output-schema", string(task.Schema))
	}
	cmd := exec.CommandContext(ctx, a.Program, args...)
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	err := a.wait(ctx, cmd)
	if ctx.Err() != nil {
		return Attempt{}, ctx.Err()
	}
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		return Attempt{}, err
	}
	var result struct {
		Response string
		Output   json.RawMessage
		CostUSD  float64
		Turns    int
		Error    string
	}
	attempt := Attempt{Exit: cmd.ProcessState.ExitCode()}
	if err := json.Unmarshal(out.Bytes(), &result); err != nil {
		attempt.Error = last(said.String())
		return attempt, nil
	}
	attempt.Error, attempt.USD, attempt.Turns, attempt.Answer = result.Error, result.CostUSD, result.Turns, result.Output
	if len(result.Output) == 0 {
		if attempt.Answer, err = json.Marshal(result.Response); err != nil {
			return Attempt{}, err
		}
	}
	if attempt.Exit == 0 {
		attempt.Patch, err = patch(ctx, task)
	}
	return attempt, err
}

// wait starts agent and waits until it ends. agent ends when its worker ends, even if the worker is
// killed. The kernel signals agent when the thread that started it ends, so wait locks its thread.
func (a Agent) wait(ctx context.Context, cmd *exec.Cmd) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
	alive, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		for tick := time.NewTicker(beat); ; {
			activity.RecordHeartbeat(ctx)
			select {
			case <-alive.Done():
				tick.Stop()
				return
			case <-tick.C:
			}
		}
	}()
	return cmd.Run()
}

func last(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}

// patch returns the difference between a task's worktree and the commit on which it is based. It
// uses a temporary index, so that the index of the worktree stays unchanged.
func patch(ctx context.Context, task Task) (string, error) {
	listed, err := git(ctx, task.Repository, nil, "worktree", "list", "--porcelain")
	if err != nil {
		return "", err
	}
	before, _, found := strings.Cut(listed, "\nbranch refs/heads/agent/"+task.ID+"\n")
	at := strings.LastIndex(before, "worktree ")
	if !found || at < 0 {
		return "", fmt.Errorf("%s has no worktree for %s", task.Repository, task.ID)
	}
	folder, _, _ := strings.Cut(before[at+len("worktree "):], "\n")
	base, err := git(ctx, task.Repository, nil, "merge-base", "HEAD", "agent/"+task.ID)
	if err != nil {
		return "", err
	}
	index, err := os.CreateTemp("", "fleet-index-")
	if err != nil {
		return "", err
	}
	index.Close()
	os.Remove(index.Name()) // git does not accept an empty index
	defer os.Remove(index.Name())
	environ := append(os.Environ(), "GIT_INDEX_FILE="+index.Name())
	for _, args := range [][]string{{"read-tree", "HEAD"}, {"add", "-A"}} {
		if _, err := git(ctx, folder, environ, args...); err != nil {
			return "", err
		}
	}
	return git(ctx, folder, environ, "diff", "--cached", "--binary", strings.TrimSpace(base))
}

// git runs git without the hooks and the file system monitor that the repository may configure.
func git(ctx context.Context, folder string, environ []string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-C", folder}, args...)...)
	cmd.Env = environ
	out, err := cmd.Output()
	var ended *exec.ExitError
	if errors.As(err, &ended) {
		return "", fmt.Errorf("git %s: %s", args[0], last(string(ended.Stderr)))
	}
	return string(out), err
}
