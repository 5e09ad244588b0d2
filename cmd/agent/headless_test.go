package main

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agent/internal/app"
	"agent/internal/atcmd"
	"agent/internal/chat"
	"agent/internal/llm"
	"agent/internal/llm/llmtest"
)

// When nobody reads the results any more the run ends, in order: what it had begun
// is answered in the record and nothing stays behind.
func TestReaderGoesAway(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	// The second reply never ends: only the broken pipe can end the run.
	server := newModel(t, llmtest.Call("read_file", `{"file_path":"a"}`), llmtest.Say("one ").Wait(nil))
	run := startRun(t, home, server.URL, "-p", "go", "--output-format", "stream-json")
	run.until(`"tool_call"`)
	run.r.Close()
	if err := run.cmd.Wait(); run.cmd.ProcessState.ExitCode() != exitFailed {
		t.Errorf("ended with %v, want %d", err, exitFailed)
	}
	if left, _ := filepath.Glob(filepath.Join(home, "agent-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	checkReplay(t, home, server.URL)
}

// A defect of the loop is an error with the way to its trace, not a trace.
func TestDefectInARun(t *testing.T) {
	t.Parallel()
	p := &app.Process{Home: t.TempDir(), Dir: t.TempDir(), Now: time.Now}
	defer p.Close()
	s, err := p.Settings(app.Sources{Set: []string{"base-url=http://127.0.0.1:1", "model=m"}})
	if err != nil {
		t.Fatal(err)
	}
	c, err := app.New(t.Context(), p, app.Options{Settings: s, Events: func(chat.Envelope) { panic("boom") }})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	outcome, err := respond(t.Context(), c, atcmd.Typed("hi"))
	if status := outcomeStatus(outcome, err); status != exitFailed {
		t.Errorf("status %d (%v)", status, err)
	}
	log, _ := p.Log()
	trace, _ := os.ReadFile(log.Path)
	if !strings.Contains(err.Error(), "internal error: boom") || !strings.Contains(err.Error(), log.Path) || !strings.Contains(string(trace), "headless_test.go") {
		t.Errorf("got %v, logged:\n%s", err, trace)
	}
}

// What a command refuses is wrong usage; what befalls it is not.
func TestRefusalStatus(t *testing.T) {
	t.Parallel()
	for err, want := range map[error]int{
		errors.New("no such setting"):                     exitUsage,
		context.Canceled:                                  exitInterrupted,
		&llm.Error{Kind: llm.Unavailable}:                 exitProvider,
		&app.DefectError{Value: "boom", Log: "agent.log"}: exitFailed,
		errors.Join(io.EOF, io.ErrShortWrite):             exitUsage,
	} {
		if got := exitStatus(refusal(err)); got != want {
			t.Errorf("%v: status %d, want %d", err, got, want)
		}
	}
}

// Reliability, minor 13: a pipe that stays open is waited for, which is said, and what
// came through it is the input.
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
