package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"agent/internal/base/tempdir"
	"agent/internal/testing/fifo"
	"agent/internal/testing/llmtest"
)

// An interrupted run ends at once with status 130. The processes that it started end too. Its
// record can be replayed, and the session can be resumed.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	const command = "exec 9>pipe; echo begun >&9; sleep 300"
	for _, moment := range []struct {
		name   string
		signal syscall.Signal
		turn   llmtest.Turn
		// begun is the output at which the run is interrupted. It is empty if the request alone is
		// enough, or if a command reports through the pipe of commandBegan.
		begun string
	}{
		{"before the reply", syscall.SIGINT, llmtest.Turn{}.Hang(), ""},
		{"within the reply", syscall.SIGTERM, llmtest.Say("Let me ").Hang(), "Let me"},
		{"within a call's arguments", syscall.SIGHUP, llmtest.Say("Let me ").Event(halfCall).Hang(), "Let me"},
		{"within a command", syscall.SIGINT, llmtest.Call("run_shell_command", `{"command":"`+command+`"}`), ""},
	} {
		t.Run(moment.name, func(t *testing.T) {
			t.Parallel()
			asked := make(chan struct{})
			server := llmtest.NewFunc(t, func(r *llmtest.Request) llmtest.Turn {
				if r.Last().Content == "and now?" {
					return llmtest.Say("Going on.")
				}
				close(asked)
				return moment.turn
			})
			home := t.TempDir()
			pipe := newPipe(t, filepath.Join(home, "work"))
			run := startRun(t, home, server.URL, "-p", "go", "--approval-mode", "full-auto", "--output-format", "stream-json")
			run.await(asked)
			run.until(moment.begun)
			var command *os.File
			if moment.name == "within a command" {
				command = commandBegan(t, pipe)
			}
			if err := run.cmd.Process.Signal(moment.signal); err != nil {
				t.Fatal(err)
			}
			rest, status := run.end()
			if status != exitInterrupted {
				t.Errorf("exit status %d, want %d\n%s", status, exitInterrupted, rest)
			}
			if command != nil {
				checkGone(t, command)
			}
			checkResult(t, rest)
			checkReplay(t, home, server.URL)
			if _, status := startRun(t, home, server.URL, "-p", "and now?", "--continue").end(); status != exitOK {
				t.Errorf("going on ended with %d", status)
			}
		})
	}
}

const halfCall = `{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"read_file","arguments":"{\"file"}}]},"finish_reason":null}]}`

// A killed run prints no last line, but its record is complete. If it needed no temporary folder,
// no other file remains.
func TestKill(t *testing.T) {
	t.Parallel()
	server := newModel(t, llmtest.Call("read_file", `{"file_path":"a"}`), llmtest.Say("Let me ").Hang(), llmtest.Say("Going on."))
	home := t.TempDir()
	run := startRun(t, home, server.URL, "-p", "go", "--output-format", "stream-json")
	run.until("Let me")
	if err := run.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	run.end()
	if left, _ := filepath.Glob(filepath.Join(home, tempdir.Prefix+"*")); len(left) > 0 {
		t.Errorf("left are %v", left)
	}
	checkReplay(t, home, server.URL)
	if out, status := startRun(t, home, server.URL, "-p", "and now?", "--continue").end(); status != exitOK || !strings.Contains(out, "Going on.") {
		t.Errorf("going on ended with %d:\n%s", status, out)
	}
}

// A signal that was ignored when the program started, for example by nohup, stays ignored.
func TestIgnoredSignals(t *testing.T) {
	t.Parallel()
	server := newModel(t, llmtest.Call("run_shell_command", `{"command":"kill -HUP $PPID; kill -INT $PPID"}`), llmtest.Say("still here"))
	run := startCommand(t, t.TempDir(), server.URL, "sh", "-c", `trap "" HUP INT; exec agent -p go --approval-mode full-auto --set sandbox=off`)
	if out, status := run.end(); status != exitOK || !strings.Contains(out, "still here") {
		t.Errorf("ended with %d:\n%s", status, out)
	}
}

// newPipe makes the pipe that a command opens as soon as it runs.
func newPipe(t *testing.T, workspace string) string {
	t.Helper()
	pipe := filepath.Join(workspace, "pipe")
	if err := errors.Join(os.MkdirAll(workspace, 0o700), fifo.Make(t, pipe)); err != nil {
		t.Fatal(err)
	}
	return pipe
}

// commandBegan waits until a command opens the pipe. The command keeps it open.
func commandBegan(t *testing.T, path string) *os.File {
	t.Helper()
	late := time.AfterFunc(stalled, func() {
		if end, err := os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK, 0); err == nil {
			end.Close() // a later read then finds the end of the file
		}
	})
	defer late.Stop()
	pipe, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { pipe.Close() })
	_ = pipe.SetReadDeadline(time.Now().Add(stalled))
	if _, err := io.ReadFull(pipe, make([]byte, len("begun\n"))); err != nil {
		t.Fatalf("the command did not begin: %v\n%s", err, processes())
	}
	return pipe
}

// checkGone reports an error if a process still has the pipe open.
func checkGone(t *testing.T, pipe *os.File) {
	t.Helper()
	if err := pipe.SetReadDeadline(time.Now().Add(stalled)); err != nil {
		t.Fatal(err)
	}
	if _, err := pipe.Read(make([]byte, 1)); err != io.EOF {
		t.Errorf("the command still runs: %v\n%s", err, processes())
	}
}

// checkResult reports an error unless the last line is the result of an interrupted run.
func checkResult(t *testing.T, out string) {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(out), "\n")
	var result struct {
		Type string
		Exit int
	}
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &result); err != nil || result.Type != "result" || result.Exit != exitInterrupted {
		t.Errorf("the last line is %s (%v)", lines[len(lines)-1], err)
	}
}

// checkReplay reports an error unless there is exactly one record and it can be replayed.
func checkReplay(t *testing.T, home, url string) {
	t.Helper()
	logs, err := filepath.Glob(filepath.Join(home, ".local/share/agent/sessions/*/*.jsonl"))
	if err != nil || len(logs) != 1 {
		t.Fatalf("records: %v %v", logs, err)
	}
	if out, status := startRun(t, home, url, "context", "replay", logs[0]).end(); status != exitOK {
		t.Errorf("replaying ended with %d:\n%s", status, out)
	}
}

// run is a program that runs in the background.
type run struct {
	t   *testing.T
	cmd *exec.Cmd
	out *bytes.Buffer
	r   *os.File
}

// startRun starts agent in a workspace below home.
func startRun(t *testing.T, home, url string, args ...string) *run {
	t.Helper()
	return startCommand(t, home, url, append([]string{"agent"}, args...)...)
}

// startCommand is startRun for a command that starts agent.
func startCommand(t *testing.T, home, url string, args ...string) *run {
	t.Helper()
	workspace := filepath.Join(home, "work")
	if err := os.MkdirAll(workspace, 0o700); err != nil {
		t.Fatal(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = workspace
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "TMPDIR=" + home, "GORACE=" + noRaceSleep, "OPENAI_API_KEY=" + secret, "OPENAI_BASE_URL=" + url}
	cmd.Stdout, cmd.Stderr = w, w
	hearSignals()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		r.Close()
	})
	return &run{t, cmd, &bytes.Buffer{}, r}
}

// hearSignals makes processes that start later receive the signals that end them. Without it, they
// would inherit the ignored signals of the tests, for example under nohup.
func hearSignals() {
	for _, sig := range []os.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT} {
		if signal.Ignored(sig) {
			signal.Notify(make(chan os.Signal, 1), sig)
		}
	}
}

// await waits until done is closed, and ends the test if the program takes too long.
func (r *run) await(done <-chan struct{}) {
	r.t.Helper()
	select {
	case <-done:
	case <-time.After(stalled):
		r.giveUp("what was awaited did not come")
	}
}

// until reads the output up to text.
func (r *run) until(text string) {
	r.t.Helper()
	_ = r.r.SetReadDeadline(time.Now().Add(stalled))
	buf := make([]byte, 4096)
	for !strings.Contains(r.out.String(), text) {
		n, err := r.r.Read(buf)
		r.out.Write(buf[:n])
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded):
			r.giveUp(fmt.Sprintf("%q did not come", text))
		case err != nil:
			r.t.Fatalf("%q did not come (%v):\n%s", text, err, r.out)
		}
	}
}

// end returns all output and the exit status, once the program and every process that has its
// output open have ended.
func (r *run) end() (string, int) {
	r.t.Helper()
	_ = r.r.SetReadDeadline(time.Now().Add(stalled))
	if _, err := r.out.ReadFrom(r.r); errors.Is(err, os.ErrDeadlineExceeded) {
		r.giveUp("the program, or what holds its output, did not end")
	}
	late := time.AfterFunc(stalled, func() { _ = r.cmd.Process.Kill() }) // its stacks are no longer needed
	defer late.Stop()
	err := r.cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		r.t.Fatal(err)
	}
	return r.out.String(), r.cmd.ProcessState.ExitCode()
}

// giveUp ends a test that waited too long. It prints the output of the program, the stacks of its
// goroutines, and the list of processes.
func (r *run) giveUp(what string) {
	r.t.Helper()
	there := processes()
	_ = r.cmd.Process.Signal(syscall.SIGABRT) // the runtime prints its goroutines
	_ = r.r.SetReadDeadline(time.Now().Add(5 * time.Second))
	_, _ = r.out.ReadFrom(r.r)
	r.t.Fatalf("%s within %s:\n%s\n%s", what, stalled, r.out, there)
}

// processes lists the processes of this machine, if ps is installed.
func processes() []byte {
	list, _ := exec.Command("ps", "-eo", "pid,ppid,stat,etime,args").Output()
	return list
}
