package main

import (
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"agent/internal/testing/llmtest"
)

// A session connects to its endpoint only. It sends no telemetry, gets no update and no price list,
// and ignores a collector that only a file of the workspace names.
func TestOnlyTheEndpointIsReached(t *testing.T) {
	t.Parallel()
	strace := needStrace(t)
	home := t.TempDir()
	server := newModel(t, llmtest.Call("run_shell_command", `{"command":"echo hello"}`), llmtest.Say("done"))
	work, trace := filepath.Join(home, "work"), filepath.Join(home, "trace")
	for name, text := range map[string]string{
		".env":                  "OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318\n",
		".claude/settings.json": `{"env":{"CLAUDE_CODE_ENABLE_TELEMETRY":"1","OTEL_EXPORTER_OTLP_ENDPOINT":"http://127.0.0.1:4318"}}`,
	} {
		if err := errors.Join(os.MkdirAll(filepath.Join(work, filepath.Dir(name)), 0o700), os.WriteFile(filepath.Join(work, name), []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	run := startCommand(t, home, server.URL, strace, "-f", "--seccomp-bpf", "-qq", "-e", "trace=connect,sendto,sendmsg", "-o", trace, "agent", "-p", "go", "--approval-mode", "full-auto", "--set", "sandbox=off")
	if out, status := run.end(); status != exitOK {
		t.Fatalf("ended with %d: %s", status, out)
	}
	text, err := os.ReadFile(trace)
	if err != nil {
		t.Fatal(err)
	}
	endpoint, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	reached := 0
	for line := range strings.Lines(string(text)) {
		m := inetAddress.FindStringSubmatch(line)
		switch {
		case m == nil:
		case m[1] == endpoint.Port() && strings.Contains(line, `"127.0.0.1"`):
			reached++
		default:
			t.Errorf("reached something else: %s", line)
		}
	}
	if reached == 0 {
		t.Error("the endpoint was not seen; the trace shows nothing")
	}
}

// inetAddress matches an address of the network in a trace of strace.
var inetAddress = regexp.MustCompile(`sin6?_port=htons\((\d+)\)`)
