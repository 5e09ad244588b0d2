package main

import (
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"agent/internal/llm/llmtest"
)

// A session reaches its endpoint and nothing else: no telemetry, no update, no price
// list, and no collector that the environment does not name.
func TestOnlyTheEndpointIsReached(t *testing.T) {
	t.Parallel()
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("no strace")
	}
	home := t.TempDir()
	server := newModel(t, llmtest.Call("run_shell_command", `{"command":"echo hello"}`), llmtest.Say("done"))
	trace := filepath.Join(home, "trace")
	run := startCommand(t, home, server.URL, strace, "-f", "-qq", "-e", "trace=connect,sendto,sendmsg", "-o", trace, "agent", "-p", "go", "--approval-mode", "full-auto", "--set", "sandbox=off")
	if err := run.cmd.Wait(); err != nil {
		t.Fatalf("%v", err)
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

// inetAddress is an address of the network as strace writes it.
var inetAddress = regexp.MustCompile(`sin6?_port=htons\((\d+)\)`)
