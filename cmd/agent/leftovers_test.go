//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"agent/internal/base/tempdir"
	"agent/internal/sandbox"
	"agent/internal/testing/llmtest"
)

// stubborn is a command that ignores requests to end. It has a child, and a second child in a new
// session. All of them keep the pipe open.
const stubborn = `{"command":"trap '' TERM; exec 9>pipe; (setsid sleep 300 &); (sleep 300 &); echo begun >&9; sleep 300","background":BACKGROUND}`

// No process outlives the program. This includes an end by SIGKILL, and a second signal while the
// program waits for a process that ignores the first.
func TestNothingIsLeft(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, background, sandbox string
		signals                   []syscall.Signal
	}{
		{"killed, a job", "true", "off", []syscall.Signal{syscall.SIGKILL}},
		{"killed, a command", "false", "off", []syscall.Signal{syscall.SIGKILL}},
		{"killed, in the sandbox", "true", "auto", []syscall.Signal{syscall.SIGKILL}},
		{"asked to quit, a job", "true", "off", []syscall.Signal{syscall.SIGQUIT}},
		{"second signal, a command", "false", "off", []syscall.Signal{syscall.SIGTERM, syscall.SIGTERM}},
		{"second signal, in the sandbox", "false", "auto", []syscall.Signal{syscall.SIGINT, syscall.SIGINT}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			model := newModel(t, llmtest.Call("run_shell_command", strings.Replace(stubborn, "BACKGROUND", tc.background, 1)), llmtest.Turn{}.Hang())
			home := t.TempDir()
			pipe := newPipe(t, filepath.Join(home, "work"))
			run := startRun(t, home, model.URL, "-p", "go", "--approval-mode", "full-auto", "--set", "sandbox="+tc.sandbox, "--output-format", "stream-json")
			command := commandBegan(t, pipe)
			if tc.background == "true" {
				run.until("tool_result") // the job is recorded by then
			}
			for i, signal := range tc.signals {
				if i > 0 {
					waitForSignal(t, run)
				}
				if err := run.cmd.Process.Signal(signal); err != nil {
					t.Fatal(err)
				}
			}
			_, status := run.end()
			checkGone(t, command)
			if killed := tc.signals[0] == syscall.SIGKILL; !killed {
				if status != exitInterrupted {
					t.Errorf("exit status %d", status)
				}
				if left, _ := filepath.Glob(filepath.Join(home, tempdir.Prefix+"*")); len(left) > 0 {
					t.Errorf("left are %v", left)
				}
			} else if tc.background == "true" {
				again := newModel(t, llmtest.Say("Going on."))
				if out, _ := startRun(t, home, again.URL, "-c", "-p", "and now?").end(); !strings.Contains(out, "Background job 1 ended when agent was killed") {
					t.Errorf("the job is not named:\n%s", out)
				}
				if out, _ := startRun(t, home, again.URL, "-c", "-p", "/stats").end(); strings.Contains(out, "Background job") {
					t.Errorf("the job is named again:\n%s", out)
				}
			}
		})
	}
}

// A signal may kill the child that the program starts first: Ctrl+C reaches all processes of a
// terminal. The program does not wait for this child.
func TestTheFirstChildIsKilled(t *testing.T) {
	t.Parallel()
	if sandbox.Detect().Backend() != sandbox.Namespaces {
		t.Skip("nothing is started here")
	}
	for range 2 {
		run := startRun(t, t.TempDir(), newModel(t, llmtest.Say("fine")).URL, "-p", "go")
		children := "/proc/" + strconv.Itoa(run.cmd.Process.Pid) + "/task/*/children"
		for began := time.Now(); !killOneOf(children); {
			if time.Since(began) > stalled {
				t.Fatal("it started nothing")
			}
		}
		if out, status := run.end(); status != exitOK || !strings.Contains(out, "fine") {
			t.Errorf("ended with %d: %s", status, out)
		}
	}
}

// killOneOf kills one of the processes in the given lists. It reports whether there was one.
func killOneOf(lists string) bool {
	files, _ := filepath.Glob(lists)
	for _, file := range files {
		data, _ := os.ReadFile(file)
		for _, field := range strings.Fields(string(data)) {
			if pid, err := strconv.Atoi(field); err == nil {
				return syscall.Kill(pid, syscall.SIGKILL) == nil
			}
		}
	}
	return false
}

// waitForSignal waits until no signal is pending. Otherwise the kernel would merge a second signal
// of the same kind with the first.
func waitForSignal(t *testing.T, r *run) {
	t.Helper()
	for sent := time.Now(); time.Since(sent) < stalled; {
		status, err := os.ReadFile("/proc/" + strconv.Itoa(r.cmd.Process.Pid) + "/status")
		if err != nil {
			t.Fatal(err)
		}
		// A process that the first signal has killed, before its handler was installed, receives no
		// second one.
		if strings.Contains(string(status), "ShdPnd:\t0000000000000000") || strings.Contains(string(status), "State:\tZ") {
			return
		}
	}
	t.Fatal("the signal is still pending")
}
