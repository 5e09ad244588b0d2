package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"agent/internal/sandbox/supervisor"
	"agent/internal/testing/llmtest"
)

// If the watcher is killed too, for example by the kernel when memory runs out, the next start ends
// the remaining processes.
func TestTheNextStartEndsProcesses(t *testing.T) {
	t.Parallel()
	model := newModel(t, llmtest.Call("run_shell_command", strings.Replace(stubborn, "BACKGROUND", "true", 1)), llmtest.Turn{}.Hang())
	home := t.TempDir()
	pipe := newPipe(t, filepath.Join(home, "work"))
	run := startRun(t, home, model.URL, "-p", "go", "--approval-mode", "full-auto", "--set", "sandbox=off", "--output-format", "stream-json")
	command := commandBegan(t, pipe)
	run.until("tool_result")
	if !killWatcher(run.cmd.Process.Pid) {
		t.Fatal("there is no watcher")
	}
	if err := run.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	run.end()
	again := newModel(t, llmtest.Say("Going on."))
	if out, status := startRun(t, home, again.URL, "-c", "-p", "and now?", "--set", "sandbox=off").end(); status != exitOK {
		t.Errorf("ended with %d: %s", status, out)
	}
	checkGone(t, command)
}

// killWatcher kills the watcher process of a program, and reports whether it had one.
func killWatcher(program int) bool {
	lists, _ := filepath.Glob("/proc/" + strconv.Itoa(program) + "/task/*/children")
	for _, list := range lists {
		children, _ := os.ReadFile(list)
		for _, child := range strings.Fields(string(children)) {
			name, _ := os.ReadFile("/proc/" + child + "/cmdline")
			pid, err := strconv.Atoi(child)
			if err == nil && strings.HasPrefix(string(name), supervisor.WatcherName+"\x00") {
				return syscall.Kill(pid, syscall.SIGKILL) == nil
			}
		}
	}
	return false
}
