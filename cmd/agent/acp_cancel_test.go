package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agent/internal/testing/fifo"
	"agent/internal/testing/llmtest"
)

func (e *peer) cancel(session string) {
	e.t.Helper()
	e.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":%q}}`, session))
}

// A cancel ends the turn that was requested before it, and every call has an answer.
func TestEditorCancel(t *testing.T) {
	t.Parallel()
	t.Run("written together", func(t *testing.T) {
		t.Parallel()
		e := startEditor(t, t.TempDir(), llmtest.Say("one").Hang())
		session := e.start(t.TempDir())
		id := e.prompt(session, "go")
		e.cancel(session)
		if m := e.response(id, nil); string(m.Result) != `{"stopReason":"cancelled"}` {
			t.Errorf("%s %+v", m.Result, m.Error)
		}
	})
	t.Run("while a question waits", func(t *testing.T) {
		t.Parallel()
		e := startEditor(t, t.TempDir(), llmtest.Call("write_file", `{"file_path":"a","content":"x"}`))
		session := e.start(t.TempDir())
		id := e.prompt(session, "go")
		for m := e.next(); m.Method != "session/request_permission"; m = e.next() {
		}
		e.cancel(session)
		if m := e.response(id, nil); string(m.Result) != `{"stopReason":"cancelled"}` {
			t.Errorf("%s %+v", m.Result, m.Error)
		}
		if all := strings.Join(e.lines, "\n"); !strings.Contains(all, `"status":"failed"`) || !strings.Contains(all, "$/cancel_request") {
			t.Error(all)
		}
	})
	t.Run("while text streams", func(t *testing.T) {
		t.Parallel()
		e := startEditor(t, t.TempDir(), llmtest.Say("one").Hang())
		session := e.start(t.TempDir())
		id := e.prompt(session, "go")
		for !strings.Contains(strings.Join(e.lines, "\n"), `"text":"one"`) {
			e.next()
		}
		second := e.prompt(session, "and this")
		e.cancel(session)
		for _, id := range []int{id, second} {
			if m := e.response(id, nil); string(m.Result) != `{"stopReason":"cancelled"}` && m.ID != nil {
				t.Errorf("%s %+v", m.Result, m.Error)
			}
			if id != second && strings.Contains(strings.Join(e.lines, "\n"), fmt.Sprintf(`"id":%d,"result":{"stopReason":"cancelled"}`, second)) {
				break
			}
		}
	})
}

// deaf is a command that ignores SIGTERM. It writes to the pipe of its folder as soon as it runs.
const deaf = "trap '' TERM; echo begun >../pipe; sleep 100"

// A cancel ends the turn soon in every state. No call has an effect, and no process remains. It
// takes 0.3 s on a free machine; the limit allows for a busy one.
func TestEditorCancelIsQuick(t *testing.T) {
	t.Parallel()
	const bound = 1500 * time.Millisecond
	shell := func(line string, more string) llmtest.Turn {
		quoted, _ := json.Marshal(line)
		return llmtest.Call("run_shell_command", `{"command":`+string(quoted)+more+`}`)
	}
	for name, c := range map[string]struct {
		turns []llmtest.Turn
		// at has words of the update that triggers the cancel. It is empty if the pipe triggers it.
		at string
		// hook is the event of a hook that runs deaf.
		hook         string
		prompt, mode string
		server       bool
	}{
		"before the first byte":                  {turns: []llmtest.Turn{llmtest.Say("").Hang()}, at: `"usage_update"`},
		"while a command runs":                   {turns: []llmtest.Turn{shell("sleep 100", "")}, at: `"in_progress"`},
		"while a deaf command runs":              {turns: []llmtest.Turn{shell(deaf, "")}},
		"while what it left ends":                {turns: []llmtest.Turn{shell("("+deaf+") & exit", "")}},
		"while a job is awaited":                 {turns: []llmtest.Turn{shell("trap '' TERM; sleep 100", `,"background":true`), llmtest.Call("run_shell_command", `{"action":"tail","job":1,"wait_seconds":60}`)}, at: `"in_progress" "c2"`},
		"while a job is ended":                   {turns: []llmtest.Turn{shell("trap '' TERM; sleep 100", `,"background":true`), llmtest.Call("run_shell_command", `{"action":"kill","job":1}`)}, at: `"in_progress" "c2"`},
		"while a hook runs":                      {turns: []llmtest.Turn{llmtest.Call("write_file", `{"file_path":"a","content":"x"}`)}, hook: "PreToolUse"},
		"while a hook of the prompt runs":        {hook: "UserPromptSubmit"},
		"while a hook of the end runs":           {turns: []llmtest.Turn{llmtest.Say("done")}, hook: "Stop"},
		"while a hook of the start runs":         {hook: "SessionStart"},
		"while a server works":                   {turns: []llmtest.Turn{llmtest.Call("mcp_call", `{"server":"s","tool":"sleep","arguments":{"ms":60000}}`)}, server: true, at: `"in_progress"`},
		"while a server is deaf":                 {turns: []llmtest.Turn{llmtest.Call("mcp_call", `{"server":"s","tool":"silent","arguments":{}}`)}, server: true, at: `"in_progress"`},
		"between attempts":                       {turns: []llmtest.Turn{llmtest.Fail(503, `{"error":{"message":"busy"}}`, "Retry-After", "60")}, at: "retrying"},
		"while a slash command waits":            {prompt: "/models", at: `"available_commands_update"`},
		"while the endpoint lists its models":    {turns: []llmtest.Turn{llmtest.Say("").Hang()}, at: `"available_commands_update"`},
		"while the editor is asked for its text": {turns: []llmtest.Turn{llmtest.Call("write_file", `{"file_path":"a","content":"x"}`)}, at: `"fs/read_text_file"`},
		"while the model asks":                   {turns: []llmtest.Turn{llmtest.Call("ask_user", `{"questions":[{"question":"Which?","options":["a","b"]}]}`)}, at: `"session/request_permission"`},
		"while a plan is shown":                  {turns: []llmtest.Turn{llmtest.Call("present_plan", `{"plan":"1. look"}`)}, mode: "plan", at: `"session/request_permission"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home, root := t.TempDir(), t.TempDir()
			folder, pipe := filepath.Join(root, "work"), filepath.Join(root, "pipe")
			if err := errors.Join(os.Mkdir(folder, 0o755), fifo.Make(t, pipe), os.MkdirAll(filepath.Join(home, ".config/agent"), 0o755)); err != nil {
				t.Fatal(err)
			}
			if c.hook != "" {
				quoted, _ := json.Marshal(deaf)
				text := `{"hooks":{"` + c.hook + `":[{"hooks":[{"type":"command","command":` + string(quoted) + `}]}]}}`
				if err := os.WriteFile(filepath.Join(home, ".config/agent/hooks.json"), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			e := startEditor(t, home, c.turns...)
			e.server.Hang("/v1/models")
			e.response(e.request("initialize", map[string]any{"protocolVersion": 1, "clientCapabilities": map[string]any{"fs": map[string]any{"readTextFile": strings.HasPrefix(c.at, `"fs/`)}, "session": map[string]any{"notices": map[string]any{}}}}), nil)
			servers := []any{}
			if c.server {
				servers = append(servers, map[string]any{"name": "s", "command": "mcpserver", "args": []string{"mcptest-server"}, "env": []any{}})
			}
			session := e.sessionOf(map[string]any{"cwd": folder, "mcpServers": servers})
			if c.mode != "" {
				e.response(e.request("session/set_mode", map[string]any{"sessionId": session, "modeId": c.mode}), nil)
			}
			id := e.prompt(session, cmp.Or(c.prompt, "go"))
			var began time.Time
			cancel := func() {
				began = time.Now()
				e.cancel(session)
			}
			done := make(chan struct{})
			if c.at == "" {
				go func() {
					defer close(done)
					if said, err := os.ReadFile(pipe); err != nil || string(said) != "begun\n" {
						t.Errorf("%q, %v", said, err)
					}
					cancel()
				}()
			} else {
				e.until(c.at)
				cancel()
				close(done)
			}
			m := e.response(id, allowOnce)
			<-done
			took := time.Since(began).Round(time.Millisecond)
			if string(m.Result) != `{"stopReason":"cancelled"}` || took > bound {
				t.Errorf("after %s: %s %+v", took, m.Result, m.Error)
			}
			t.Logf("cancelled after %s", took)
		})
	}
}

// until allows each request for permission until it receives a message that contains all words of
// at.
func (e *peer) until(at string) {
	e.t.Helper()
	for {
		m, missing := e.next(), false
		for _, word := range strings.Fields(at) {
			missing = missing || !strings.Contains(e.from.Text(), word)
		}
		if !missing {
			return
		}
		if m.Method == "session/request_permission" {
			e.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, allowOnce("")))
		}
	}
}
