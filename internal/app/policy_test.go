package app_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agent/internal/app"
	"agent/internal/atcmd"
	"agent/internal/chat"
	"agent/internal/policy"
	"agent/internal/settings"
	"agent/internal/testing/llmtest"
)

// withPolicy is newProcess on a machine with a policy.
func withPolicy(t *testing.T, text string) *app.Process {
	t.Helper()
	p := newProcess(t)
	path := filepath.Join(t.TempDir(), "policy.json")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	p.PolicyFile = policy.OwnedBy(path, os.Getuid())
	return p
}

// A policy restricts a conversation with every permission from the user, and its subagents too. The
// record contains the hash of the policy.
func TestConversationUnderAPolicy(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ policy, tool, arguments, want string }{
		"a tool":      {`{"tools": ["read_file", "task"]}`, "write_file", `{"file_path":"by.txt","content":"x"}`, "tools in"},
		"a rule":      {`{"deny": ["Bash(touch:*)"]}`, "run_shell_command", `{"command":"touch by.txt"}`, "deny Bash(touch:*)"},
		"a file":      {`{"deny": ["Edit(by.txt)"]}`, "write_file", `{"file_path":"by.txt","content":"x"}`, "deny Edit(by.txt)"},
		"a host":      {`{"hosts": ["corp.example"]}`, "web_fetch", `{"url":"https://evil.example/"}`, "hosts in"},
		"the sandbox": {`{"sandbox": "strict"}`, "run_shell_command", `{"command":"touch by.txt","outside_sandbox":"because"}`, ""},
		"a mode":      {`{"modes": ["plan"]}`, "write_file", `{"file_path":"by.txt","content":"x"}`, "approval mode plan"},
	} {
		for _, agent := range []bool{false, true} {
			p := withPolicy(t, tc.policy)
			given, err := p.Settings(app.Sources{Set: []string{"model=m", "price.input=1", "price.output=1"}})
			if err != nil {
				t.Fatal(err)
			}
			answered := ""
			server := llmtest.NewFunc(t, func(r *llmtest.Request) llmtest.Turn {
				first := r.Last().Role != "tool"
				if !first && !strings.HasPrefix(r.Last().Content, "agent ") {
					answered += r.Last().Content
				}
				switch ofAgent := strings.Contains(r.Messages[0].Content, "# Your task"); {
				case first && agent && !ofAgent:
					return llmtest.Call("task", `{"agent":"general","title":"it","task":"do it"}`)
				case first:
					return llmtest.Call(tc.tool, tc.arguments)
				}
				return llmtest.Say("done")
			})
			work := t.TempDir()
			for _, pair := range [][2]string{{settings.BaseURL.Key(), server.URL}, {settings.ApprovalMode.Key(), "full-auto"}} {
				_ = given.Set(settings.LayerProfile, pair[0], pair[1]) // a profile may contain any value
				_ = given.Set(settings.LayerFlags, pair[0], pair[1])
			}
			made, err := app.New(t.Context(), p, app.Options{Workspace: work, Named: true, Settings: given, Allow: []string{"run_shell_command(*)", "write_file(*)"}, Events: func(chat.Event) {}})
			if err != nil {
				if name == "the sandbox" && strings.Contains(err.Error(), "require") {
					continue // this machine has no sandbox
				}
				t.Fatal(err)
			}
			_, _ = made.Chat.Prompt(t.Context(), atcmd.TypedMessage("go")) // a refused call may end the turn
			if _, err := os.Stat(filepath.Join(work, "by.txt")); err == nil && name != "the sandbox" || !strings.Contains(answered, tc.want) {
				t.Errorf("%s, by an agent %v: it ran, or was refused for another reason: %s", name, agent, answered)
			}
			id, sessions := made.SessionID(), filepath.Join(p.Home, ".local/share/agent/sessions")
			made.Close()
			records, err := filepath.Glob(filepath.Join(sessions, "*", id+".jsonl"))
			if err != nil || len(records) != 1 {
				t.Fatal(records, err)
			}
			data, err := os.ReadFile(records[0])
			if err != nil {
				t.Fatal(err)
			}
			bounds, err := p.Policy()
			if first, _, _ := strings.Cut(string(data), "\n"); err != nil || !strings.Contains(first, `"policy":"`+bounds.Hash+`"`) || !json.Valid([]byte(first)) {
				t.Errorf("%s: the record begins %s", name, first)
			}
		}
	}
}

// With an invalid policy nothing starts.
func TestBrokenPolicy(t *testing.T) {
	t.Parallel()
	p := withPolicy(t, `{"modes": "ask"}`)
	if _, err := p.Settings(app.Sources{}); err == nil || !strings.Contains(err.Error(), "agent does not start") {
		t.Error(err)
	}
	own, err := newProcess(t).Settings(app.Sources{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := app.New(t.Context(), p, app.Options{Workspace: t.TempDir(), Settings: own, Events: func(chat.Event) {}}); err == nil {
		t.Error("a conversation begins")
	}
}

func TestTestPolicy(t *testing.T) {
	t.Parallel()
	p := withPolicy(t, `{"modes": ["ask"], "tools": ["read_file", "run_shell_command", "web_fetch", "mcp__docs__*"], "deny": ["Bash(git push:*)", "Read(//srv/keys/**)"],
		"hosts": ["corp.example"], "providers": ["anthropic"], "servers": ["/opt/x *"], "logins": ["anthropic"], "sandbox": "require"}`)
	for call, want := range map[string]string{
		"run_shell_command(go test ./...)":    "",
		"run_shell_command(cd / && git push)": "deny Bash(git push:*)",
		"read_file(/srv/keys/a)":              "deny Read(//srv/keys/**)",
		"read_file(a.go)":                     "",
		"write_file(a.go)":                    "the tool write_file (tools in",
		"web_fetch(https://corp.example/x)":   "",
		"web_fetch(https://evil.example/x)":   "the host evil.example",
		"mcp__docs__find()":                   "",
		"mcp__other__find()":                  "the tool mcp__other__find",
		"mode=full-auto":                      "the approval mode full-auto",
		"mode=read-only":                      "",
		"sandbox=off":                         "sandbox off",
		"provider=anthropic":                  "",
		"provider=https://evil.example/v1":    "the endpoint https://evil.example/v1",
		"server=/opt/x --read":                "",
		"server=npx x":                        "this server",
		"login=openai":                        "a login for api.openai.com",
		"host=a.corp.example":                 "",
		"no call":                             "is not a call",
		"no_tool(x)":                          "no_tool",
	} {
		err := p.CheckPolicy(call)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", call, err, want)
		}
	}
}
