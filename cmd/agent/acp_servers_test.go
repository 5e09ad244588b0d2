package main

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agent/internal/testing/llmtest"
)

// A session uses the MCP servers that the editor configures. Each call requires approval, and no
// file keeps their configuration.
func TestEditorServers(t *testing.T) {
	t.Parallel()
	const key = "env-value-7c1"
	home, folder := t.TempDir(), t.TempDir()
	e := startEditor(t, home, llmtest.Call("mcp_call", `{"server":"my-tools","tool":"echo","arguments":{"text":"from the editor"}}`), llmtest.Say("Done."))
	initialized := e.response(e.request("initialize", map[string]any{"protocolVersion": 1}), nil)
	if !strings.Contains(string(initialized.Result), `"mcpCapabilities":{"http":true,"sse":true}`) {
		t.Errorf("initialize: %s", initialized.Result)
	}
	server := map[string]any{"name": "my tools", "command": "mcpserver", "args": []string{"mcptest-server", "log=" + folder + "/log"}, "env": []any{
		map[string]any{"name": "KEY", "value": key}, map[string]any{"name": "LITERAL", "value": "${NOT_SET}"},
	}}
	session := e.sessionOf(map[string]any{"cwd": folder, "mcpServers": []any{server}})
	var asked []string
	m := e.response(e.prompt(session, "call it"), func(params string) string {
		asked = append(asked, params)
		return allowOnce("")
	})
	if string(m.Result) != `{"stopReason":"end_turn"}` || len(asked) != 1 || !strings.Contains(asked[0], "my-tools (the editor)") {
		t.Fatalf("%s %+v, asked %q\n%s", m.Result, m.Error, asked, strings.Join(e.lines, "\n"))
	}
	sent := e.server.Requests()
	if last := string(sent[len(sent)-1].Body); !strings.Contains(last[strings.LastIndex(last, `"role":"tool"`):], "from the editor") {
		t.Errorf("the result is not in %s", last)
	}
	if text, err := os.ReadFile(filepath.Join(folder, "log")); err != nil || len(text) == 0 {
		t.Errorf("the server was not started as the editor says: %v", err)
	}
	err := filepath.WalkDir(home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		if strings.Contains(string(text), key) {
			t.Errorf("%s holds the value of a variable", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// An invalid server is refused. The error names its position in the list and does not repeat its
// values.
func TestEditorServersRefused(t *testing.T) {
	t.Parallel()
	e := startEditor(t, t.TempDir())
	e.response(e.request("initialize", map[string]any{"protocolVersion": 1}), nil)
	for _, list := range []string{`[{"name":"x","env":[{"name":"K","value":"v-77"}]}]`, `[{"name":"x","command":"v-77","args":"v-77"}]`, `["v-77"]`, `[{"name":"x y","command":"a"},{"name":"x-y","command":"v-77"}]`} {
		m := e.response(e.request("session/new", map[string]any{"cwd": t.TempDir(), "mcpServers": json.RawMessage(list)}), nil)
		if m.Error == nil || m.Error.Code != -32602 || !strings.HasPrefix(m.Error.Message, "mcpServers[") || strings.Contains(m.Error.Message, "v-77") {
			t.Errorf("%s: %+v", list, m.Error)
		}
	}
}

// The permission request for a plan has its own kind of tool call. A yes selects the next mode, and
// any other answer stays in plan mode.
func TestEditorPlan(t *testing.T) {
	t.Parallel()
	for option, want := range map[string]struct{ mode, tool string }{
		"allow": {"ask", "approved the plan"}, "always": {"auto-edit", "approved the plan"}, "refuse": {"plan", "refused"},
	} {
		e := startEditor(t, t.TempDir(), llmtest.Call("present_plan", `{"plan":"1. look\n2. write"}`), llmtest.Say("Done."))
		session := e.start(t.TempDir())
		e.response(e.request("session/set_mode", map[string]any{"sessionId": session, "modeId": "plan"}), nil)
		var asked []string
		m := e.response(e.prompt(session, "plan it"), func(params string) string {
			asked = append(asked, params)
			return `{"outcome":{"outcome":"selected","optionId":"` + option + `"}}`
		})
		if string(m.Result) != `{"stopReason":"end_turn"}` || len(asked) != 1 || !strings.Contains(asked[0], `"kind":"switch_mode"`) || !strings.Contains(asked[0], `2. write`) {
			t.Fatalf("%s: %s %+v, asked %q", option, m.Result, m.Error, asked)
		}
		set := e.response(e.request("session/set_config_option", map[string]any{"sessionId": session, "configId": "model", "value": "m"}), nil)
		if !strings.Contains(string(set.Result), `"id":"mode"`) || !strings.Contains(string(set.Result), `"currentValue":"`+want.mode+`"`) {
			t.Errorf("%s: the mode is not %s: %s", option, want.mode, set.Result)
		}
		sent := e.server.Requests()
		if last := string(sent[len(sent)-1].Body); !strings.Contains(last[strings.LastIndex(last, `"role":"tool"`):], want.tool) {
			t.Errorf("%s: %s", option, last[strings.LastIndex(last, `"role":"tool"`):])
		}
	}
}

// An editor can select any model that the endpoint lists. A slow list does not delay a session: an
// update sends it later.
func TestEditorModels(t *testing.T) {
	t.Parallel()
	e := startEditor(t, t.TempDir(), llmtest.Say("Done."))
	e.server.Answer("/v1/models", `{"data":[{"id":"m"},{"id":"other"},{"id":"third"}]}`)
	session := e.start(t.TempDir())
	for !strings.Contains(strings.Join(e.lines, "\n"), `"currentValue":"m","options":[{"value":"m","name":"m"},{"value":"other","name":"other"},{"value":"third","name":"third"}]`) {
		e.next() // the list is not available yet
	}
	set := e.response(e.request("session/set_config_option", map[string]any{"sessionId": session, "configId": "model", "value": "other"}), nil)
	if !strings.Contains(string(set.Result), `"currentValue":"other","options":[{"value":"m","name":"m"}`) {
		t.Errorf("%s %+v", set.Result, set.Error)
	}
	if m := e.response(e.prompt(session, "go"), nil); string(m.Result) != `{"stopReason":"end_turn"}` {
		t.Fatalf("%s %+v", m.Result, m.Error)
	}
	if body := string(e.server.Requests()[0].Body); !strings.Contains(body, `"model":"other"`) {
		t.Errorf("another model was asked: %s", body)
	}
}

// The options of an editor show a setting that a slash command changes. No update is sent without a
// change.
func TestEditorOptionsFollow(t *testing.T) {
	t.Parallel()
	e := startEditor(t, t.TempDir())
	e.server.Hang("/v1/models")
	session := e.start(t.TempDir())
	e.response(e.prompt(session, "/set approval-mode read-only"), nil)
	e.response(e.prompt(session, "/help"), nil)
	all := strings.Join(e.lines, "\n")
	if n := strings.Count(all, `"config_option_update"`); n != 1 || !strings.Contains(all, `"currentValue":"read-only"`) {
		t.Errorf("%d updates: %s", n, all)
	}
}
