package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/creack/pty"

	"agent/internal/app"
	"agent/internal/base/safeout"
	"agent/internal/testing/llmtest"
)

// hostile is text that takes over a terminal which obeys it: title, clipboard, screen, answers and
// the order of characters.
const hostile = "x\x1b]0;evil\x07\x1b]52;c;ZXZpbA==\x07\x1b]8;;http://evil\x1b\\\x1b[2J\x1b[?1049h\u009b31m\u009d0;evil\u009c\u202egpj\u2066\rover\x1bc\x1bP$q\x1b\\\x1b[c\x1b[6n end"

// Every command prints text from a model, a server, a session or the command line so that the
// terminal shows it and does not obey it. This covers standard output and standard error.
func TestHostileTextIsNeverObeyed(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	server := llmtest.NewFunc(t, func(*llmtest.Request) llmtest.Turn { return llmtest.Say(hostile, "\n", hostile) })
	models, err := json.Marshal(map[string]any{"data": []map[string]string{{"id": "a" + hostile}, {"id": "b" + hostile}}})
	if err != nil {
		t.Fatal(err)
	}
	server.Answer("/models", string(models))
	document, err := json.Marshal(map[string]any{"workspaceRoot": "/w", "history": []any{
		map[string]any{"speaker": "human", "blocks": []any{map[string]string{"type": "text", "text": hostile}}},
		map[string]any{"speaker": "ai", "blocks": []any{map[string]any{"type": "tool_call", "id": "1", "name": "n" + hostile, "parameters": map[string]string{"file_path": hostile}}}},
		map[string]any{"speaker": "tool", "blocks": []any{map[string]string{"type": "tool_response", "callId": "1", "toolName": "n" + hostile, "result": hostile}}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(home, "history.json")
	if err := errors.Join(os.Mkdir(filepath.Join(home, "work"), 0o700), os.WriteFile(file, document, 0o600)); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) string { return hereOnTerminal(t, home, server.URL, nil, args...) }
	prompt := []string{"-m", "demo", "-p", "hello"}
	first := run(append(prompt, "--output-format", "json")...)
	var result struct{ SessionID string }
	if err := json.Unmarshal([]byte(first[strings.IndexByte(first, '{'):]), &result); err != nil || result.SessionID == "" {
		t.Fatalf("%v in %q", err, first)
	}
	// This session has a hostile first prompt.
	run("-m", "demo", "-p", hostile)
	for _, args := range [][]string{
		prompt, append(prompt, "--output-format", "stream-json"),
		{"-p", "which model"},
		{"-m", hostile, "-p", "go"},
		{"-m", "demo", "-p", hostile},
		{"sessions", "list"},
		{"sessions", "list", "--json"},
		{"sessions", "show", result.SessionID},
		{"sessions", "export", result.SessionID},
		{"sessions", "show", hostile},
		{"sessions", "delete", hostile},
		{"-r", hostile, "-p", "go"},
		{"context", "show", file},
		{"context", "optimize", file},
		{"context", "compress", file, "--json"},
		{"context", "replay", file},
		{"context", "show", hostile},
		{"settings"},
		{"settings", hostile},
		{"settings", "--json"},
		{"doctor"},
		{"doctor", "-m", hostile},
		{"profile", "list"},
		{"profile", "show", hostile},
		{"profile", "save", hostile},
		{"--set", hostile, "-p", "go"},
		{"--set", "model=" + hostile, "settings"},
		{"--" + hostile},
		{hostile, hostile, "--output-format", hostile, "-p", "x"},
		{"--allow", hostile, "-p", "go"},
		{"--approval-mode", hostile, "-p", "go"},
		{"-C", hostile, "-p", "go"},
		{"--base-url", "http://" + hostile, "-p", "go"},
		{"help", hostile},
		{"completion", hostile},
		{"--version"},
		{"help"},
	} {
		out := run(args...)
		for i, r := range out {
			if unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r) {
				t.Errorf("agent %q writes %q", args, out[max(0, i-40):min(len(out), i+40)])
				break
			}
		}
	}
}

// hereOnTerminal runs a command that needs no input in this process, with additional environment
// variables. It returns the output to its terminal.
func hereOnTerminal(t *testing.T, home, url string, environ []string, args ...string) string {
	t.Helper()
	ours, theirs, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	written := make(chan string)
	go func() {
		text, _ := io.ReadAll(ours) // a closed terminal returns an error
		written <- string(text)
	}()
	w := world{
		process: &app.Process{
			Environ: append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "TERM=xterm-256color", "NO_COLOR=1", "OPENAI_API_KEY=" + secret, "OPENAI_BASE_URL=" + url}, environ...),
			Home:    home, Dir: home + "/work", Version: "test", Now: time.Now,
		},
		stdin: theirs, stdout: theirs, stderr: theirs, out: safeout.NewWriter(theirs), people: safeout.NewWriter(theirs),
	}
	w.process.Say = func(line string) { _ = w.tell(line) }
	ctx, cancel := context.WithTimeout(t.Context(), stalled)
	defer cancel()
	execute(ctx, args, w)
	if err := errors.Join(w.process.Close(), theirs.Close()); err != nil {
		t.Error(err)
	}
	text := <-written
	ours.Close()
	return strings.ReplaceAll(text, "\r\n", "\n")
}

// The interactive interface prints the text of an earlier session, of the model list and of a reply
// in the same safe way.
func TestHostileTextInTheInterface(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	server := llmtest.NewFunc(t, func(*llmtest.Request) llmtest.Turn { return llmtest.Say(hostile, "\n\n", hostile) })
	onTerminal(t, home, server.URL, "-m", "demo", "-p", hostile)
	out := onTerminal(t, home, server.URL, "-m", "demo", "-c", hostile)
	if !strings.Contains(out, "end") {
		t.Fatalf("the conversation is not shown: %q", out)
	}
	for _, sequence := range []string{"\x1b]0;evil", "\x1b]52;", "\x1b]8;;http://evil", "\x1b[2J", "\x1b[?1049h", "\u009b", "\u009d", "\u202e", "\u2066", "\x1bc", "\x1bP", "\x1b[c", "\x1b[6n"} {
		if i := strings.Index(out, sequence); i >= 0 {
			t.Errorf("the interface writes %q", out[max(0, i-60):min(len(out), i+60)])
		}
	}
}

// idlePrompt is the text that the interface shows while it waits for a message, at its start and
// after a turn.
const idlePrompt = "Ask for something"

// onTerminal runs agent on a terminal and returns its output. It quits an interface after its first
// turn.
func onTerminal(t *testing.T, home, url string, args ...string) string {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Args[0] = "agent"
	cmd.Dir = filepath.Join(home, "work")
	if err := os.MkdirAll(cmd.Dir, 0o700); err != nil {
		t.Fatal(err)
	}
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "TMPDIR=" + home, "TERM=xterm-256color", "NO_COLOR=1",
		"OPENAI_API_KEY=" + secret, "OPENAI_BASE_URL=" + url, "GORACE=" + noRaceSleep,
	}
	terminal, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: 100, Rows: 40})
	if err != nil {
		t.Fatal(err)
	}
	defer terminal.Close()
	kill := time.AfterFunc(60*time.Second, func() { _ = cmd.Process.Kill() })
	defer kill.Stop()
	var out strings.Builder
	piece := make([]byte, 4096)
	for quit := false; ; {
		n, err := terminal.Read(piece)
		out.Write(piece[:n])
		if err != nil { // the terminal is closed
			break
		}
		if !quit && strings.Count(out.String(), idlePrompt) > 1 {
			quit = true
			_, _ = io.WriteString(terminal, "\x04")
		}
	}
	_ = cmd.Wait()
	return strings.ReplaceAll(out.String(), "\r\n", "\n")
}
