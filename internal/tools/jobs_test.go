package tools

import (
	"context"
	"os"
	"strings"
	"testing"

	"agent/internal/shell"
)

func startTestJob(t *testing.T, env *Env, command string) *shell.Job {
	t.Helper()
	answer := runTool(t.Context(), t, runShellCommand(), env, map[string]any{"command": command, "background": true})
	if answer.Error != "" {
		t.Fatal(answer.Error)
	}
	all := env.Jobs.List()
	return all[len(all)-1]
}

func act(t *testing.T, env *Env, action string, id int) Answer {
	t.Helper()
	args := map[string]any{"action": action}
	if id > 0 {
		args["job"] = id
	}
	return runTool(t.Context(), t, runShellCommand(), env, args)
}

func TestJobRunsOnAfterItsTurn(t *testing.T) {
	t.Parallel()
	env := shellEnv(t)
	line := newLifeline(t)
	held, gone := line.watch(t)
	turn, interrupt := context.WithCancel(t.Context())
	answer := runTool(turn, t, runShellCommand(), env, map[string]any{
		"command": "exec 9>" + line.path + "; echo begun; sleep 1000", "background": true,
	})
	if !strings.HasPrefix(answer.ModelText(), "Started as job 1; its output goes to "+answer.Spool) || answer.ExitCode != nil || answer.Summary != "job 1 in the background" {
		t.Fatalf("%+v", answer)
	}
	interrupt()
	await(t, "the job runs", held)

	tail := runTool(t.Context(), t, runShellCommand(), env, map[string]any{"action": "tail", "job": 1, "wait_seconds": 30})
	if text, last := splitResult(tail.ModelText()); text != "begun\n" || !strings.HasPrefix(last, "[job 1: running for ") {
		t.Errorf("%+v", tail)
	}
	if again := act(t, env, "tail", 1); !strings.HasPrefix(again.ModelText(), "[nothing new]\n") {
		t.Errorf("%+v", again)
	}
	if list := act(t, env, "list", 0); !strings.HasPrefix(list.ModelText(), "job 1: running for ") || !strings.HasSuffix(list.ModelText(), "sleep 1000\n") {
		t.Errorf("%+v", list)
	}
	killed := act(t, env, "kill", 1)
	await(t, "the job is gone", gone)
	if !strings.Contains(killed.ModelText(), "[job 1: killed after ") || killed.ExitCode != nil {
		t.Errorf("%+v", killed)
	}
	if finished := env.Jobs.TakeFinished(); len(finished) > 0 {
		t.Errorf("a job that was killed on request is announced: %v", finished)
	}
}

func TestFinishedJobsAreAnnouncedOnce(t *testing.T) {
	t.Parallel()
	env := shellEnv(t)
	job := startTestJob(t, env, "echo done; exit 3")
	await(t, "the job ends", job.Done())
	finished := env.Jobs.TakeFinished()
	if len(finished) != 1 || finished[0].ID != 1 || finished[0].Command != "echo done; exit 3" || !strings.HasPrefix(finished[0].Outcome, "exit 3 after ") {
		t.Errorf("%+v", finished)
	}
	if again := env.Jobs.TakeFinished(); len(again) > 0 {
		t.Errorf("announced again: %+v", again)
	}
	tail := act(t, env, "tail", 1)
	if !strings.HasPrefix(tail.ModelText(), "done\n[job 1: exit 3 after ") || tail.ExitCode == nil || *tail.ExitCode != 3 {
		t.Errorf("%+v", tail)
	}
}

func TestJobEndsAtItsTimeout(t *testing.T) {
	t.Parallel()
	env := shellEnv(t)
	answer := runTool(t.Context(), t, runShellCommand(), env, map[string]any{"command": "sleep 1000", "background": true, "timeout_seconds": 1})
	job := env.Jobs.List()[0]
	await(t, "the job ends", job.Done())
	if tail := act(t, env, "tail", 1); answer.Error != "" || !strings.Contains(tail.ModelText(), "timed out after 1") || tail.ExitCode != nil {
		t.Errorf("%+v", tail)
	}
}

func TestCloseEndsEveryJob(t *testing.T) {
	t.Parallel()
	env := shellEnv(t)
	var all []<-chan struct{}
	for range 3 {
		line := newLifeline(t)
		held, gone := line.watch(t)
		startTestJob(t, env, "trap '' TERM; exec 9>"+line.path+"; sleep 1000 & sleep 1000; sleep 1000")
		await(t, "the job runs", held)
		all = append(all, gone)
	}
	env.Jobs.Close()
	for _, gone := range all {
		await(t, "the job is gone", gone)
	}
	for _, background := range []bool{true, false} {
		answer := runTool(t.Context(), t, runShellCommand(), env, map[string]any{"command": "touch late", "background": background})
		if answer.Error != shell.ErrClosed.Error() {
			t.Errorf("a command after Close: %+v", answer)
		}
	}
}

func TestJobsAreLimited(t *testing.T) {
	t.Parallel()
	env := shellEnv(t)
	for range 16 {
		startTestJob(t, env, "sleep 1000")
	}
	full := runTool(t.Context(), t, runShellCommand(), env, map[string]any{"command": "true", "background": true})
	if !strings.Contains(full.Error, "16 background commands are running already") {
		t.Errorf("%+v", full)
	}
	act(t, env, "kill", 3)
	if job := startTestJob(t, env, "true"); job.ID != 17 {
		t.Errorf("job %d", job.ID)
	}
}

func TestJobKeepsItsWholeLog(t *testing.T) {
	t.Parallel()
	env := shellEnv(t)
	job := startTestJob(t, env, "seq 100000")
	await(t, "the job ends", job.Done())
	tail := act(t, env, "tail", 1)
	if len(tail.ModelText()) > env.Limits.OutputBytes()+500 || !strings.Contains(tail.ModelText(), "left out here; the whole output is in "+tail.Spool) || !strings.Contains(tail.ModelText(), "\n100000\n[job 1: exit 0") {
		t.Errorf("%+v", tail)
	}
	if content, err := os.ReadFile(tail.Spool); err != nil || !strings.HasPrefix(string(content), "1\n2\n") || !strings.HasSuffix(string(content), "\n100000\n") {
		t.Errorf("%d bytes, %v", len(content), err)
	}
}
