package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"agent/internal/testing/llmtest"
)

// If a collector is configured, commands, hooks and servers receive the span that they belong to.
// Otherwise they inherit the environment unchanged.
func TestProgramsKnowTheirSpan(t *testing.T) {
	t.Parallel()
	for name, traced := range map[string]bool{"a collector": true, "no collector": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			spans := make(chan string, 99)
			collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				spans <- string(body)
			}))
			defer collector.Close()
			says := func(who string) string { return `printf '%s' \"$TRACEPARENT\" > ` + home + "/" + who }
			if err := os.MkdirAll(filepath.Join(home, ".config/agent"), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(home, ".config/agent/hooks.json"), []byte(`{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"`+says("hook")+`"}]}]}}`), 0o600); err != nil {
				t.Fatal(err)
			}
			server := newModel(t, llmtest.Call("run_shell_command", `{"command":"`+says("command")+`"}`), llmtest.Call("mcp_call", `{"server":"s","tool":"echo","arguments":{"text":"x"}}`), llmtest.Say("done"))
			args := []string{"env"}
			if traced {
				args = append(args, "OTEL_EXPORTER_OTLP_ENDPOINT="+collector.URL)
			}
			run := startCommand(t, home, server.URL, append(args, "agent", "-p", "go", "--approval-mode", "full-auto", "--set", "sandbox=off",
				"--mcp-config", `{"mcpServers":{"s":{"command":"sh","args":["-c","`+says("server")+`; exec mcpserver mcptest-server"]}}}`)...)
			if output, status := run.end(); status != 0 {
				t.Fatalf("%d: %s", status, output)
			}
			close(spans)
			sent := map[string]string{} // the names of spans, by ID
			for body := range spans {
				for _, m := range spanOf.FindAllStringSubmatch(body, -1) {
					sent[m[1]+"-"+m[2]] = m[3]
				}
			}
			for who, want := range map[string]string{"command": "execute_tool run_shell_command", "server": "invoke_agent agent", "hook": "invoke_agent agent"} {
				text, err := os.ReadFile(filepath.Join(home, who))
				switch {
				case err != nil:
					t.Error(err)
				case !traced && string(text) != "":
					t.Errorf("the %s is told %q", who, text)
				case traced && sent[strings.TrimSuffix(strings.TrimPrefix(string(text), "00-"), "-01")] != want:
					t.Errorf("the %s is told %q, not that of %s: %v", who, text, want, sent)
				}
			}
		})
	}
}

// spanOf matches a span as it is sent: the trace, the span and its name.
var spanOf = regexp.MustCompile(`"traceId":"(\w+)","spanId":"(\w+)"(?:,"parentSpanId":"\w+")?,"name":"([^"]+)"`)
