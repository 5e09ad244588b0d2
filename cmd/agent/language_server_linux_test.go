package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agent/internal/sandbox"
	"agent/internal/testing/llmtest"
)

// A language server is neither a job nor a command. It ends together with the program that started
// it.
func TestNoLanguageServerIsLeft(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	path := withServer(t, home)
	model := newModel(t, llmtest.Call("symbol", `{"op":"references","name":"Total"}`), llmtest.Turn{}.Hang())
	run := startCommand(t, home, model.URL, "env", path,
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

// Problems that edits cause reach the model once, at the end of the turn. A language server reports
// them if check-command selects it.
func TestALanguageServerChecksEdits(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	path := withServer(t, home)
	model := newModel(t,
		llmtest.Call("replace", `{"file_path":"a.go","old_string":"1","new_string":"1\nbroken"}`),
		llmtest.Call("write_file", `{"file_path":"b.go","content":"package a\n\nvar old = 1\n"}`),
		llmtest.Say("Done."), llmtest.Say("It is right."))
	out, status := startCommand(t, home, model.URL, "env", path,
		"agent", "-p", "go", "--approval-mode", "full-auto", "--set", "check-command=language-server").end()
	requests := model.Requests()
	const want = "The edits were made. The project's check language-server in a.go now prints these lines"
	if last := requests[len(requests)-1].Last().Content; status != exitOK || len(requests) != 4 || !strings.Contains(last, want) || !strings.Contains(last, "a.go:4: undefined: ␛[31mbroken") {
		t.Errorf("%d, %d requests: %s\n%s", status, len(requests), last, out)
	}
}

// withServer makes a workspace with a Go file. It returns a PATH variable that finds a language
// server.
func withServer(t *testing.T, home string) (path string) {
	t.Helper()
	if !(sandbox.Confinement{Sandbox: sandbox.Detect()}).Guarantees(sandbox.ProfileReadOnly).Files {
		t.Skip("there is no sandbox, without which no server starts")
	}
	// The sandbox hides the folder of the test program, but shows the workspace.
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin, server := t.TempDir(), filepath.Join(home, "work", "server")
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
	return "PATH=" + bin + ":" + os.Getenv("PATH")
}

// workingIn returns the folders in /proc of the processes that have a given current folder and
// argument.
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
