package shell

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// cmdJobs runs lines with cmd, which also exists under Wine.
func cmdJobs(t *testing.T) *Jobs {
	j := NewJobs(os.Environ(), nil)
	j.Preferred = Cmd
	t.Cleanup(j.Close)
	return j
}

// The exit code and the quotes of a line are unchanged.
func TestCmdRunsALine(t *testing.T) {
	j := cmdJobs(t)
	for line, want := range map[string]struct {
		out  string
		code int
	}{
		"echo a & exit 3": {"a", 3}, `echo "a b"`: {`"a b"`, 0}, "echo ä>&2": {"ä", 0}, "cmd /c exit 7": {"", 7},
		"echo out& echo err>&2& exit 200": {"err", 200},
	} {
		r, err := j.Run(context.Background(), Command{Line: line, Dir: t.TempDir(), OutputBytes: 1000}, nil)
		if err != nil || !strings.Contains(r.Output, want.out) || r.Exit != want.code {
			t.Errorf("%q: %q %d %v %v", line, r.Output, r.Exit, r.NotStarted, err)
		}
	}
}

// If a line times out, its child processes are stopped too.
func TestCmdIsEndedWithItsChildren(t *testing.T) {
	j := cmdJobs(t)
	j.Grace = 500 * time.Millisecond
	begun := time.Now()
	r, err := j.Run(context.Background(), Command{Line: "cmd /c pause >nul <con & ping -n 60 127.0.0.1 >nul", Dir: t.TempDir(), OutputBytes: 1000, Timeout: time.Second}, nil)
	if !r.TimedOut || time.Since(begun) > 20*time.Second {
		t.Errorf("%+v %v after %v", r, err, time.Since(begun))
	}
}

// An endless output is stored completely in its file, and its end is shown.
func TestCmdKeepsAFlood(t *testing.T) {
	const lines = 2000
	spool := t.TempDir()
	r, err := cmdJobs(t).Run(context.Background(), Command{Line: "for /l %i in (1,1,2000) do @echo line %i", Dir: t.TempDir(), OutputBytes: 1000, SpoolDir: spool}, nil)
	if err != nil || r.Exit != 0 || r.Lines != lines || len(r.Output) > 2000 || !strings.Contains(r.Output, "line 2000") {
		t.Fatalf("%d lines, exit %d, %v: %.300q", r.Lines, r.Exit, err, r.Output)
	}
	kept, err := os.ReadFile(r.Spool)
	if filepath.Dir(r.Spool) != spool || err != nil || strings.Count(string(kept), "\n") != lines || !strings.HasPrefix(string(kept), "line 1\n") {
		t.Errorf("%s holds %d bytes, %v", r.Spool, len(kept), err)
	}
}

// An interrupted command receives Ctrl+Break and has a grace period. Its output so far is kept.
func TestCmdIsInterrupted(t *testing.T) {
	j := cmdJobs(t)
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	dir := t.TempDir()
	go func() {
		for ctx.Err() == nil {
			if _, err := os.Stat(filepath.Join(dir, "begun")); err == nil {
				interrupt()
			}
			time.Sleep(10 * time.Millisecond)
		}
	}()
	begun := time.Now()
	r, err := j.Run(ctx, Command{Line: "echo before& echo x>begun& ping -n 60 127.0.0.1 >nul", Dir: dir, OutputBytes: 1000}, nil)
	if err != nil || !r.Interrupted || !strings.Contains(r.Output, "before") || time.Since(begun) > 30*time.Second {
		t.Errorf("%+v %v after %v", r, err, time.Since(begun))
	}
}

// A background job prints output, and its child processes end when it is killed.
func TestCmdInTheBackground(t *testing.T) {
	j := cmdJobs(t)
	j.Grace = 500 * time.Millisecond
	dir := t.TempDir()
	job, err := j.Start(Command{Line: "echo begun& cmd /c ping -n 60 127.0.0.1 ^>nul", Dir: dir, OutputBytes: 1000, SpoolDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if err := job.Wait(t.Context(), 20*time.Second); err != nil {
		t.Fatal(err)
	}
	if text, ended := job.ReadNew(); !strings.Contains(text, "begun") || ended != nil {
		t.Errorf("%q, ended %v", text, ended)
	}
	job.Kill(t.Context())
	if state := job.State(); !strings.HasPrefix(state, "killed") || j.RunningCount() != 0 {
		t.Errorf("%s, %d run", state, j.RunningCount())
	}
	if err := os.RemoveAll(dir); err != nil { // no process uses it as its working folder now
		t.Error(err)
	}
}
