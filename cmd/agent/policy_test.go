package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agent/internal/app"
	"agent/internal/policy"
	"agent/internal/testing/llmtest"
	"agent/internal/testing/require"
)

// underPolicy runs agent in this process on a machine with a policy, and returns all output.
func underPolicy(t *testing.T, file policy.File, args ...string) (said string, status int) {
	t.Helper()
	nothing, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer nothing.Close()
	said, status = runPoliced(t, file, t.TempDir(), llmtest.New(t), nothing, args...) // any request fails the test
	return strings.ReplaceAll(said, "\n", " "), status
}

// runPoliced runs agent in this process on a machine with a policy, with the given home folder and
// model.
func runPoliced(t *testing.T, file policy.File, home string, server *llmtest.Server, in *os.File, args ...string) (said string, status int) {
	t.Helper()
	nothing, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer nothing.Close()
	var out output
	w := world{
		process: &app.Process{
			Home: home, Dir: home, Version: "test", Now: time.Now, PolicyFile: file,
			Environ: []string{"OPENAI_BASE_URL=" + server.URL, "OPENAI_API_KEY=" + secret, "HOME=" + home, "PATH=" + os.Getenv("PATH")},
		},
		stdin: in, stdout: nothing, stderr: nothing, out: &out, people: &out,
	}
	w.process.Say = func(line string) { _ = w.tell(line) }
	ctx, cancel := context.WithTimeout(t.Context(), stalled)
	defer cancel()
	status = execute(ctx, args, w)
	if err := w.process.Close(); err != nil {
		t.Error(err)
	}
	return out.String(), status
}

// An invalid policy ends every start before anything is sent or run, and the error gives the
// reason.
func TestEveryFrontRefusesABrokenPolicy(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "policy.json")
	if err := os.WriteFile(path, []byte(`{"tool": []}`), 0o600); err != nil {
		t.Fatal(err)
	}
	fronts := [][]string{
		{"-p", "hi"},
		{"-p", "hi", "--output-format", "json"},
		{"-p", "hi", "--input-format", "stream-json", "--output-format", "stream-json"},
		{"hi"},
		{"-c"},
		{"demo", "-p", "hi"},
		{"acp"},
		{"review"},
		{"init", "-p"},
		{"sandbox", "echo", "hi"},
		{"models"},
		{"login"},
		{"trust"},
		{"notes"},
		{"settings"},
		{"mcp", "list"},
		{"mcp", "test", "x"},
		{"policy"},
		{"policy", "test", "mode=full-auto"},
		{"policy", "test", "read_file(a)"},
		{"doctor"},
	}
	files := map[string]policy.File{"line 1: unknown member": policy.OwnedBy(path, os.Getuid())}
	if require.Unix {
		files["it belongs to user"] = policy.OwnedBy(path, os.Getuid()+1)
	}
	for want, file := range files {
		for _, args := range fronts {
			said, status := underPolicy(t, file, args...)
			wanted := exitUsage
			if args[0] == "doctor" {
				wanted = exitFailed
			}
			if status != wanted || !strings.Contains(said, want) || !strings.Contains(said, "Ask your administrator to correct it") {
				t.Errorf("agent %s: status %d: %s", strings.Join(args, " "), status, said)
			}
		}
	}
}

// Every interface obeys a policy, whatever the flags, the user's files and the requests of an
// editor contain.
func TestEveryFrontObeysThePolicy(t *testing.T) {
	t.Parallel()
	const write = `{"file_path":"by.txt","content":"x"}`
	for name, tc := range map[string]struct{ policy, tool, arguments, want string }{
		"a tool":      {`{"tools": ["read_file"]}`, "write_file", write, "tools in"},
		"a rule":      {`{"deny": ["Edit(by.txt)"]}`, "write_file", write, "deny Edit(by.txt)"},
		"a host":      {`{"hosts": ["corp.example"]}`, "web_fetch", `{"url":"https://evil.example/"}`, "hosts in"},
		"a mode":      {`{"modes": ["plan"]}`, "write_file", write, "approval mode plan"},
		"a server":    {`{"servers": []}`, "mcp_call", `{"server":"docs","tool":"echo","arguments":{}}`, "unknown tool"},
		"its address": {`{"servers": ["https://mcp.corp.example/*"]}`, "mcp_call", `{"server":"docs","tool":"echo","arguments":{}}`, "unknown tool"},
		"its tool":    {`{"tools": ["mcp_call"]}`, "mcp_call", `{"server":"docs","tool":"echo","arguments":{}}`, "tools in"},
	} {
		for _, front := range []string{"-p", "stream-json", "acp"} {
			t.Run(name+" "+front, func(t *testing.T) {
				t.Parallel()
				home := t.TempDir()
				configure(t, home)
				path := filepath.Join(t.TempDir(), "policy.json")
				if err := os.WriteFile(path, []byte(tc.policy), 0o600); err != nil {
					t.Fatal(err)
				}
				answer := ""
				server := llmtest.NewFunc(t, func(r *llmtest.Request) llmtest.Turn {
					if last := r.Last(); last.Role == "tool" {
						answer = last.Content
						return llmtest.Say("done")
					}
					return llmtest.Call(tc.tool, tc.arguments)
				})
				sandbox := "sandbox=off"
				if strings.Contains(tc.policy, "hosts") {
					sandbox = "sandbox=auto" // the policy for hosts forbids off
				}
				frontsUnderPolicy[front](t, policy.OwnedBy(path, os.Getuid()), home, server, sandbox)
				if _, err := os.Stat(filepath.Join(home, "by.txt")); err == nil || !strings.Contains(answer, tc.want) {
					t.Errorf("%v; it was answered %q, want %q", err, answer, tc.want)
				}
			})
		}
	}
}

// configure adds a server to the user's configuration. Its entry has an address in addition to the
// program.
func configure(t *testing.T, home string) {
	t.Helper()
	text, err := json.Marshal(map[string]any{"mcpServers": map[string]any{"docs": map[string]any{"command": "mcpserver", "args": []string{"mcptest-server"}, "url": "https://mcp.corp.example/x"}}})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(home, ".config", "agent", "mcp.json")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// frontsUnderPolicy sends "go" in each interface, with all permissions.
var frontsUnderPolicy = map[string]func(t *testing.T, file policy.File, home string, server *llmtest.Server, sandbox string){
	"-p": func(t *testing.T, file policy.File, home string, server *llmtest.Server, sandbox string) {
		in, err := os.Open(os.DevNull)
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		_, _ = runPoliced(t, file, home, server, in, "-p", "go", "-m", "m", "--set", sandbox, "--allow", "write_file(**)", "--allow", "mcp(docs/*)")
	},
	"stream-json": func(t *testing.T, file policy.File, home string, server *llmtest.Server, sandbox string) {
		text := filepath.Join(t.TempDir(), "in")
		if err := os.WriteFile(text, []byte(`{"type":"user","message":{"role":"user","content":"go"}}`+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		in, err := os.Open(text)
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		_, _ = runPoliced(t, file, home, server, in, "-p", "--input-format", "stream-json", "--output-format", "stream-json", "-m", "m", "--set", sandbox, "--allow", "write_file(**)", "--allow", "mcp(docs/*)")
	},
	"acp": func(t *testing.T, file policy.File, home string, server *llmtest.Server, sandbox string) {
		e := startEditorUnder(t, file, home, server, sandbox)
		session := e.start(home)
		mode := e.response(e.request("session/set_mode", map[string]any{"sessionId": session, "modeId": "full-auto"}), nil)
		option := e.response(e.request("session/set_config_option", map[string]any{"sessionId": session, "configId": "mode", "value": "full-auto"}), nil)
		if (mode.Error == nil) != (option.Error == nil) {
			t.Errorf("%+v, and %+v", mode.Error, option.Error)
		}
		e.response(e.prompt(session, "go"), allowOnce)
	},
}
