package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"agent/internal/sandbox"
	"agent/internal/sandbox/supervisor"
	"agent/internal/testing/llmtest"
)

// Where the watcher is killed too, as by somebody who runs out of memory, the next start
// ends what is left.
func TestTheNextStartEndsWhatIsLeft(t *testing.T) {
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

// A language server has neither job nor command, and ends with the program that started it.
func TestNoLanguageServerIsLeft(t *testing.T) {
	t.Parallel()
	if !(sandbox.Confinement{Sandbox: sandbox.Detect()}).Guarantees(sandbox.Look).Files {
		t.Skip("there is no sandbox, without which no server starts")
	}
	home, bin := t.TempDir(), t.TempDir()
	// The sandbox hides the folder of the test program, but shows the workspace.
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	server := filepath.Join(home, "work", "server")
	for path, content := range map[string]string{
		filepath.Join(home, "work", "a.go"): "package a\n\nvar Total = 1\n",
		filepath.Join(bin, "gopls"):         "#!/bin/sh\nLSPTEST= exec " + server + " a-language-server\n",
	} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(content), 0o700)); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := exec.Command("sh", "-c", `ln "$0" "$1" || cp "$0" "$1"`, self, server).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	model := newModel(t, llmtest.Call("symbol", `{"op":"references","name":"Total"}`), llmtest.Turn{}.Hang())
	run := startCommand(t, home, model.URL, "env", "PATH="+bin+":"+os.Getenv("PATH"),
		"agent", "-p", "go", "--set", "language-servers=on", "--output-format", "stream-json")
	run.until("tool_result")
	if len(workingIn(t, home, "a-language-server")) == 0 {
		t.Fatalf("no server runs:\n%s", run.out)
	}
	if err := run.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	run.end()
	for began := time.Now(); len(workingIn(t, home, "a-language-server")) > 0; {
		if time.Since(began) > stalled {
			t.Fatalf("the server still runs:\n%s", processes())
		}
	}
}

// workingIn returns the folders in /proc of the processes that work in a folder and have an argument.
func workingIn(t *testing.T, folder, argument string) (found []string) {
	t.Helper()
	links, err := filepath.Glob("/proc/[0-9]*/cwd")
	if err != nil {
		t.Fatal(err)
	}
	for _, link := range links {
		dir, _ := os.Readlink(link)
		line, _ := os.ReadFile(filepath.Join(filepath.Dir(link), "cmdline"))
		if strings.HasPrefix(dir, folder) && strings.Contains(string(line), argument) {
			found = append(found, filepath.Dir(link))
		}
	}
	return found
}

// killWatcher kills the watcher of a program, and reports whether there was one.
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
