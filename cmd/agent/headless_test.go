package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agent/internal/testing/llmtest"
)

// If the reader of the results closes the pipe, the run ends cleanly. The record has an answer for
// every started call, and no process remains.
func TestReaderGoesAway(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	// The second reply never ends, so only the broken pipe can end the run.
	server := newModel(t, llmtest.Call("read_file", `{"file_path":"a"}`), llmtest.Say("one ").Wait(nil))
	run := startRun(t, home, server.URL, "-p", "go", "--output-format", "stream-json")
	run.until(`"tool_call"`)
	run.r.Close()
	if _, status := run.end(); status != exitFailed {
		t.Errorf("ended with %d, want %d", status, exitFailed)
	}
	if left, _ := filepath.Glob(filepath.Join(home, "agent-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	checkReplay(t, home, server.URL)
}

// The program waits for an open pipe and prints a notice. The text from the pipe becomes the input.
func TestAnOpenPipeIsWaitedFor(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	pipe := newPipe(t, filepath.Join(home, "work"))
	server := llmtest.NewFunc(t, func(r *llmtest.Request) llmtest.Turn { return llmtest.Say("It said: " + r.Last().Content) })
	run := startCommand(t, home, server.URL, "sh", "-c", `agent -p "what is this?" <pipe`)
	in, err := os.OpenFile(pipe, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	run.until("waiting for the end of standard input")
	if _, err := in.WriteString("piped words"); err != nil {
		t.Fatal(err)
	}
	in.Close()
	if out, status := run.end(); status != exitOK || !strings.Contains(out, "piped words") {
		t.Errorf("ended with %d:\n%s", status, out)
	}
}
