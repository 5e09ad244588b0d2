package app_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agent/internal/app"
	"agent/internal/atcmd"
	"agent/internal/base/rawjson"
	"agent/internal/chat"
	"agent/internal/extend/mcp"
	"agent/internal/settings"
	"agent/internal/testing/llmtest"
	"agent/internal/testing/mcptest"

	"pgregory.net/rapid"
)

// policyCalls has calls in the form of agent policy test, and in the form of the model.
var policyCalls = []struct{ test, tool, arguments string }{
	{"run_shell_command(true)", "run_shell_command", `{"command":"true"}`},
	{"run_shell_command(git push)", "run_shell_command", `{"command":"git push"}`},
	{"run_shell_command(cat keys/a)", "run_shell_command", `{"command":"cat keys/a"}`},
	{"run_shell_command(echo x > docs/b)", "run_shell_command", `{"command":"echo x > docs/b"}`},
	{"read_file(keys/a)", "read_file", `{"file_path":"keys/a"}`},
	{"read_file(docs/b)", "read_file", `{"file_path":"docs/b"}`},
	{"write_file(docs/d)", "write_file", `{"file_path":"docs/d","content":"x"}`},
	{"write_file(new)", "write_file", `{"file_path":"new","content":"x"}`},
	{"apply_patch(docs/c)", "apply_patch", `{"input":"*** Begin Patch\n*** Add File: docs/c\n+x\n*** End Patch"}`},
	{"list_directory(keys)", "list_directory", `{"path":"keys"}`},
	{"search_file_content(b)", "search_file_content", `{"pattern":"b"}`},
	{"glob(keys/*)", "glob", `{"pattern":"keys/*"}`},
	{"read_many_files(keys/a)", "read_many_files", `{"paths":["keys/a"]}`},
	{"web_fetch(http://127.0.0.1:1/x)", "web_fetch", `{"url":"http://127.0.0.1:1/x"}`},
	{"web_fetch(http://127.0.0.2:1/x)", "web_fetch", `{"url":"http://127.0.0.2:1/x"}`},
	{"mcp__docs__echo()", "mcp_call", `{"server":"docs","tool":"echo","arguments":{}}`},
	{"mcp__docs__echo()", "mcp__docs__echo", `{}`},
	{"mcp__docs__fail()", "mcp__docs__fail", `{}`},
	{"mcp__docs__*()", "mcp_read", `{"server":"docs","uri":"x:y"}`},
	{"mcp_find(x)", "mcp_find", `{"query":"x"}`},
	{"task(x)", "task", `{"agent":"general","title":"it","task":"do it"}`},
}

// agent policy test predicts the outcome of a call in a conversation with every permission.
func TestTestPolicyAgrees(t *testing.T) {
	t.Parallel()
	some := func(from ...string) *rapid.Generator[[]string] {
		return rapid.SliceOfNDistinct(rapid.SampledFrom(from), 0, len(from), rapid.ID[string])
	}
	bounds := map[string]*rapid.Generator[[]string]{
		"tools": some("run_shell_command", "read_*", "write_file", "apply_patch", "web_fetch", "mcp__docs__*", "mcp__docs__echo", "mcp__*", "mcp_call", "mcp_*", "task", "*"),
		"deny":  some("Bash(git push:*)", "Bash", "Read(keys/**)", "Read(./docs/**)", "Edit(docs/**)", "Edit", "WebFetch", "WebFetch(domain:127.0.0.2)", "mcp__docs", "mcp__docs__echo", "Bash(cat:*)"),
		"hosts": some("127.0.0.1", "corp.example"),
	}
	rapid.Check(t, func(rt *rapid.T) {
		text := map[string][]string{}
		for _, member := range []string{"tools", "deny", "hosts"} {
			if rapid.Bool().Draw(rt, member) {
				text[member] = bounds[member].Draw(rt, "of "+member)
			}
		}
		written, err := rawjson.Marshal(text)
		if err != nil {
			rt.Fatal(err)
		}
		checkPolicyAgrees(t, rt, string(written))
	})
}

func checkPolicyAgrees(t *testing.T, rt *rapid.T, text string) {
	p := withPolicy(t, text)
	p.Dir = t.TempDir()
	for _, name := range []string{"keys/a", "docs/b"} {
		if err := os.MkdirAll(filepath.Join(p.Dir, filepath.Dir(name)), 0o700); err != nil {
			rt.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(p.Dir, name), []byte("b\n"), 0o600); err != nil {
			rt.Fatal(err)
		}
	}
	given, err := p.Settings(app.Sources{Set: []string{"model=m", "price.input=1", "price.output=1", "approval-mode=full-auto"}})
	if err != nil {
		rt.Fatal(err)
	}
	answers, called := map[int]string{}, 0
	server := llmtest.NewFunc(t, func(r *llmtest.Request) llmtest.Turn {
		if strings.Contains(r.Messages[0].Content, "# Your task") {
			return llmtest.Say("done")
		}
		for _, m := range r.Messages { // the result of the last call; earlier ones may be pruned
			if m.Role == "tool" {
				answers[called-1] = m.Content
			}
		}
		if called == len(policyCalls) {
			return llmtest.Say("done")
		}
		called++
		return llmtest.Call(policyCalls[called-1].tool, policyCalls[called-1].arguments)
	})
	if err := given.Set(settings.LayerFlags, settings.BaseURL.Key(), server.URL); err != nil {
		rt.Fatal(err)
	}
	docs := mcptest.At(t.TempDir(), "docs")
	configured, err := json.Marshal(map[string]any{"mcpServers": map[string]any{"docs": map[string]any{"command": docs.Command, "args": docs.Args, "alwaysLoad": true}}})
	if err != nil {
		rt.Fatal(err)
	}
	askServer(t, rt, p, string(configured))
	made, err := app.New(t.Context(), p, app.Options{
		Workspace: p.Dir, Named: true, Settings: given, Servers: []string{string(configured)}, Events: func(chat.Event) {},
		Allow: []string{"run_shell_command(*)", "write_file(*)", "read_file(keys/**)"},
	})
	if err != nil {
		rt.Fatal(err)
	}
	defer made.Close()
	_, _ = made.Chat.Prompt(t.Context(), atcmd.TypedMessage("go"))
	for n, call := range policyCalls {
		answer, there := answers[n]
		if !there {
			rt.Fatalf("%s: %s has no answer", text, call.test)
		}
		refused := strings.Contains(answer, "policy of this machine") || strings.Contains(answer, p.PolicyFile.Path)
		says := p.CheckPolicy(call.test)
		if refused != (says != nil) {
			rt.Errorf("%s: %s: policy test says %v, and it was answered %q", text, call.test, says, answer)
		}
	}
}

// askServer loads the tools of the server before the conversation starts, so that every call finds
// them.
func askServer(t *testing.T, rt *rapid.T, p *app.Process, configured string) {
	folders, err := p.Folders()
	if err != nil {
		rt.Fatal(err)
	}
	found, err := p.Servers(folders, p.Dir, app.Options{Servers: []string{configured}})
	if err != nil {
		rt.Fatal(err)
	}
	client, _, err := found.Probe(t.Context(), found.Servers[0], mcp.Host{})
	if err != nil {
		rt.Fatal(err)
	}
	client.Close()
}

// Deny rules and the policy also apply to resources and prompts of a server that the user names.
func TestNamedUnderAPolicy(t *testing.T) {
	t.Parallel()
	for text, refused := range map[string]bool{`{}`: false, `{"tools": ["read_file"]}`: true, `{"deny": ["mcp__docs"]}`: true, `{"tools": ["mcp__docs__*"]}`: false} {
		p := withPolicy(t, text)
		p.Dir = t.TempDir()
		given, err := p.Settings(app.Sources{Set: []string{"model=m", "price.input=1", "price.output=1"}})
		if err != nil {
			t.Fatal(err)
		}
		sent := ""
		server := llmtest.NewFunc(t, func(r *llmtest.Request) llmtest.Turn {
			sent += string(r.Body)
			return llmtest.Say("done")
		})
		if err := given.Set(settings.LayerFlags, settings.BaseURL.Key(), server.URL); err != nil {
			t.Fatal(err)
		}
		docs := mcptest.At(t.TempDir(), "docs")
		configured, err := json.Marshal(map[string]any{"mcpServers": map[string]any{"docs": map[string]any{"command": docs.Command, "args": docs.Args}}})
		if err != nil {
			t.Fatal(err)
		}
		made, err := app.New(t.Context(), p, app.Options{Workspace: p.Dir, Named: true, Settings: given, Servers: []string{string(configured)}, Events: func(chat.Event) {}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := made.Chat.Prompt(t.Context(), atcmd.TypedMessage("look at @docs:memo://one please")); err != nil {
			t.Error(err)
		}
		_, failed := made.Chat.Prompt(t.Context(), atcmd.TypedMessage("/mcp:docs:greet who=you"))
		made.Close()
		if read := strings.Contains(sent, "One."); read == refused || (failed != nil) != refused {
			t.Errorf("%s: read %v, the prompt: %v", text, read, failed)
		}
	}
}
