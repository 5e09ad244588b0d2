package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"agent/internal/app"
	"agent/internal/frontend/acp"
	"agent/internal/policy"
	"agent/internal/testing/llmtest"
)

// peer is the client of agent acp.
type peer struct {
	t    *testing.T
	to   *io.PipeWriter
	out  *io.PipeWriter
	from *bufio.Scanner
	// lines has all lines received, for checks at the end.
	lines []string
	id    int
	// asked has the method of each request by ID.
	asked  map[string]string
	server *llmtest.Server
	// shows has the texts of open files by path. If it is nil, the editor does not offer them.
	shows map[string]string
}

func startEditor(t *testing.T, home string, turns ...llmtest.Turn) *peer {
	t.Helper()
	return startEditorOf(t, home, llmtest.New(t, turns...))
}

// startEditorOf is startEditor with a model server that already runs.
func startEditorOf(t *testing.T, home string, server *llmtest.Server, set ...string) *peer {
	t.Helper()
	return startEditorUnder(t, policy.File{}, home, server, set...)
}

// startEditorUnder is startEditorOf on a machine with a policy.
func startEditorUnder(t *testing.T, file policy.File, home string, server *llmtest.Server, set ...string) *peer {
	t.Helper()
	p := &app.Process{
		Home: home, Dir: home, Version: "test", Now: time.Now, PolicyFile: file,
		Environ: []string{"OPENAI_BASE_URL=" + server.URL, "OPENAI_API_KEY=" + secret, "HOME=" + home, "PATH=" + os.Getenv("PATH")},
	}
	in, to := io.Pipe()
	from, out := io.Pipe()
	var o sessionOptions
	o.set = append([]string{"model=m"}, set...)
	if !strings.Contains(strings.Join(set, " "), "sandbox=") {
		o.set = append(o.set, "sandbox=off")
	}
	ended := make(chan error, 1)
	go func() {
		ended <- acp.Serve(context.Background(), forEditor(world{process: p}, o), in, out, slog.New(slog.DiscardHandler))
		out.Close()
	}()
	e := &peer{t: t, to: to, out: out, from: bufio.NewScanner(from), server: server, asked: map[string]string{}}
	e.from.Buffer(nil, 32<<20)
	t.Cleanup(func() {
		to.Close()
		go func() {
			for e.from.Scan() { //nolint:revive // the rest is read so that nothing blocks
			}
		}()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		_ = p.Close()
		e.validate()
	})
	return e
}

func (e *peer) send(line string) {
	e.t.Helper()
	if _, err := io.WriteString(e.to, line+"\n"); err != nil {
		e.t.Fatal(err)
	}
}

// request sends a request and returns its id.
func (e *peer) request(method string, params any) int {
	e.t.Helper()
	e.id++
	e.asked[fmt.Sprint(e.id)] = method
	raw, err := json.Marshal(params)
	if err != nil {
		e.t.Fatal(err)
	}
	e.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, e.id, method, raw))
	return e.id
}

// agentMessage is a message of the agent.
type agentMessage struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int
		Message string
	}
}

func (e *peer) next() agentMessage {
	e.t.Helper()
	late := time.AfterFunc(stalled, func() {
		stacks := make([]byte, 1<<20)
		_ = e.out.CloseWithError(fmt.Errorf("no answer within %s:\n%s", stalled, stacks[:runtime.Stack(stacks, true)]))
	})
	defer late.Stop()
	if !e.from.Scan() {
		e.t.Fatalf("the connection ended: %v; received\n%s", e.from.Err(), strings.Join(e.lines, "\n"))
	}
	e.lines = append(e.lines, e.from.Text())
	var m agentMessage
	if err := json.Unmarshal(e.from.Bytes(), &m); err != nil {
		e.t.Fatalf("%v: %s", err, e.from.Text())
	}
	return m
}

// response waits for the response to a request. The function answer returns the responses to the
// agent's own requests.
func (e *peer) response(id int, answer func(params string) string) agentMessage {
	e.t.Helper()
	for {
		m := e.next()
		switch {
		case m.Method == "fs/read_text_file":
			var params struct{ Path string }
			_ = json.Unmarshal(m.Params, &params)
			answer := `"error":{"code":-32002,"message":"there is no such file"}`
			if text, ok := e.shows[params.Path]; ok {
				quoted, _ := json.Marshal(text)
				answer = `"result":{"content":` + string(quoted) + `}`
			}
			e.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,%s}`, m.ID, answer))
		case m.Method == "session/request_permission" && answer != nil:
			e.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, answer(string(m.Params))))
		case m.Method == "" && string(m.ID) == fmt.Sprint(id):
			return m
		}
	}
}

// start initializes the connection and opens a session in a folder.
func (e *peer) start(folder string) (session string) {
	e.t.Helper()
	e.response(e.request("initialize", map[string]any{"protocolVersion": 1, "clientCapabilities": map[string]any{"fs": map[string]any{"readTextFile": e.shows != nil}}}), nil)
	return e.sessionOf(map[string]any{"cwd": folder, "mcpServers": []any{}})
}

// sessionOf opens a session.
func (e *peer) sessionOf(params map[string]any) (session string) {
	e.t.Helper()
	m := e.response(e.request("session/new", params), nil)
	var result struct{ SessionID string }
	if m.Error != nil || json.Unmarshal(m.Result, &result) != nil || result.SessionID == "" {
		e.t.Fatalf("session/new: %+v %s", m.Error, m.Result)
	}
	return result.SessionID
}

func (e *peer) prompt(session, text string) int {
	e.t.Helper()
	return e.request("session/prompt", map[string]any{"sessionId": session, "prompt": []any{map[string]any{"type": "text", "text": text}}})
}

func allowOnce(string) string { return `{"outcome":{"outcome":"selected","optionId":"allow"}}` }

// Each question of the model becomes one permission request, whose options have different kinds.
// Without an answer the model decides.
func TestEditorIsAskedByTheModel(t *testing.T) {
	t.Parallel()
	const questions = `{"questions":[{"question":"Which store?","options":[{"label":"SQLite","description":"one file"},{"label":"Postgres"}]},{"question":"Tests?","options":["yes","no"]}]}`
	e := startEditor(t, t.TempDir(), llmtest.Call("ask_user", questions), llmtest.Call("ask_user", questions), llmtest.Say("Done."))
	session := e.start(t.TempDir())
	answers := []string{`{"outcome":{"outcome":"selected","optionId":"1"}}`, `{"outcome":{"outcome":"selected","optionId":"0"}}`, `{"outcome":{"outcome":"selected","optionId":"7"}}`}
	var asked []string
	m := e.response(e.prompt(session, "store it"), func(params string) string {
		asked = append(asked, params)
		return answers[len(asked)-1]
	})
	if string(m.Result) != `{"stopReason":"end_turn"}` || len(asked) != 3 {
		t.Fatalf("%s %+v, asked %q", m.Result, m.Error, asked)
	}
	for _, want := range []string{`"title":"Which store?"`, `SQLite: one file`, `{"optionId":"0","name":"SQLite","kind":"allow_once"},{"optionId":"1","name":"Postgres","kind":"allow_always"}`} {
		if !strings.Contains(asked[0], want) {
			t.Errorf("%s is not in %s", want, asked[0])
		}
	}
	sent := e.server.Requests()
	for i, wants := range [][]string{{"Postgres", "yes"}, {"the user did not choose, but said: decide, and say what you decided"}} {
		for _, want := range wants {
			if last := string(sent[i+1].Body); !strings.Contains(last[strings.LastIndex(last, `"role":"tool"`):], want) {
				t.Errorf("%q is not in request %d: %s", want, i+1, last)
			}
		}
	}
	if again := e.response(e.request("initialize", map[string]any{"protocolVersion": 1}), nil); again.Error == nil {
		t.Error("a second initialize is taken")
	}
}

// If the model proposes a note, the approval prompt shows it as a change of the notes file.
func TestEditorIsAskedAboutANote(t *testing.T) {
	t.Parallel()
	e := startEditor(t, t.TempDir(), llmtest.Call("remember", `{"note":"tests need a database"}`), llmtest.Say("Done."))
	session := e.start(t.TempDir())
	asked := ""
	m := e.response(e.prompt(session, "find out"), func(params string) string {
		asked += params
		return `{"outcome":{"outcome":"selected","optionId":"0"}}`
	})
	if string(m.Result) != `{"stopReason":"end_turn"}` {
		t.Fatalf("%s %+v, asked %q", m.Result, m.Error, asked)
	}
	for _, want := range []string{`"kind":"edit"`, `"type":"diff"`, `"oldText":null`, `"newText":"- tests need a database\n`, `"name":"Keep it"`} {
		if !strings.Contains(asked, want) {
			t.Errorf("%s is not in %s", want, asked)
		}
	}
	if last := string(e.server.Requests()[1].Body); !strings.Contains(last, "stored as n1") {
		t.Errorf("the model is told %s", last)
	}
}

// A read reports that the editor has unsaved changes of the file, and an edit of it is refused. A
// file whose text is equal or new requires approval as usual.
func TestEditorUnsavedText(t *testing.T) {
	t.Parallel()
	home, folder := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{"stale.txt": "one\ntwo\n", "same.txt": "one\r\n", "linked.txt": "x\n"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	e := startEditor(t, home,
		llmtest.Call("read_file", `{"file_path":"stale.txt"}`),
		llmtest.Call("replace", `{"file_path":"stale.txt","old_string":"two","new_string":"2"}`),
		llmtest.Call("read_many_files", `{"paths":["same.txt","stale.txt"]}`),
		llmtest.Call("write_file", `{"file_path":"new.txt","content":"n\n"}`),
		llmtest.Say("Done."),
	)
	e.shows = map[string]string{filepath.Join(folder, "stale.txt"): "one\nTWO\nthree\n", filepath.Join(folder, "same.txt"): "one", filepath.Join(folder, "linked.txt"): "y\n"}
	session := e.start(folder)
	m := e.response(e.request("session/prompt", map[string]any{"sessionId": session, "prompt": []any{
		map[string]any{"type": "text", "text": "look"}, map[string]any{"type": "resource_link", "name": "linked.txt", "uri": "file://" + filepath.Join(folder, "linked.txt")},
	}}), allowOnce)
	if string(m.Result) != `{"stopReason":"end_turn"}` {
		t.Fatalf("%s %+v", m.Result, m.Error)
	}
	for name, want := range map[string]string{"stale.txt": "one\ntwo\n", "new.txt": "n\n"} {
		if text, err := os.ReadFile(filepath.Join(folder, name)); err != nil || string(text) != want {
			t.Errorf("%s holds %q, %v", name, text, err)
		}
	}
	sent := e.server.Requests()
	last := string(sent[len(sent)-1].Body)
	for want, times := range map[string]int{
		"linked.txt has unsaved changes in the editor: 1 line differs; this is the text on disk":           1,
		"stale.txt has unsaved changes in the editor: 2 lines differ; this is the text on disk":            2,
		"not run: stale.txt has unsaved changes in the editor: 2 lines differ; ask the user to save first": 1,
		"same.txt has": 0, "new.txt has": 0,
	} {
		if n := strings.Count(last, want); n != times {
			t.Errorf("%q is there %d times, want %d:\n%s", want, n, times, last)
		}
	}
}

// A complete turn: an edit whose approval prompt shows a diff, and a command.
func TestEditorTurn(t *testing.T) {
	t.Parallel()
	home, folder := t.TempDir(), t.TempDir()
	e := startEditor(t, home,
		llmtest.Say("I write it. ").Call("write_file", `{"file_path":"note.txt","content":"first\nsecond\n"}`),
		llmtest.Call("run_shell_command", `{"command":"mkdir made && echo hello"}`),
		llmtest.Call("todo_write", `{"todos":[{"id":"1","content":"look","status":"completed"},{"id":"2","content":"go on","status":"in_progress"}]}`),
		llmtest.Say("Edited."),
	)
	session := e.start(folder)
	var asked []string
	m := e.response(e.prompt(session, "make note.txt"), func(params string) string {
		asked = append(asked, params)
		return allowOnce("")
	})
	if string(m.Result) != `{"stopReason":"end_turn"}` {
		t.Fatalf("%s %+v\n%s", m.Result, m.Error, strings.Join(e.lines, "\n"))
	}
	if text, err := os.ReadFile(filepath.Join(folder, "note.txt")); err != nil || string(text) != "first\nsecond\n" {
		t.Errorf("%q, %v", text, err)
	}
	if len(asked) != 2 || !strings.Contains(asked[0], `"content":[{"type":"diff","path":"`+filepath.Join(folder, "note.txt")+`","oldText":null,"newText":"first\nsecond\n"}`) ||
		!strings.Contains(asked[1], "mkdir made") || strings.Count(asked[0], "allow_always") != 1 {
		t.Errorf("asked %q", asked)
	}
	all := strings.Join(e.lines, "\n")
	for _, want := range []string{
		`"available_commands_update"`, `"sessionUpdate":"tool_call"`, `"status":"in_progress"`, `"status":"completed"`, `"rawOutput":{"exitCode":0}`,
		`"sessionUpdate":"plan"`, `"text":"I write it. "`, `"text":"Edited."`, `"usage_update"`, `"kind":"edit"`, `"kind":"execute"`,
	} {
		if !strings.Contains(all, want) {
			t.Errorf("no %s in\n%s", want, all)
		}
	}
}

// Only a clear yes allows a call, and every call ends.
func TestEditorOddAnswers(t *testing.T) {
	t.Parallel()
	for _, answer := range []string{
		`{}`, `null`, `{"outcome":null}`, `{"outcome":{"outcome":"cancelled","optionId":"allow"}}`, `{"outcome":{"outcome":"cancelled"}}`, `{"outcome":{"outcome":"selected"}}`,
		`{"outcome":{"outcome":"selected","optionId":"yes"}}`, `{"outcome":{"outcome":"selected","optionId":"refuse"}}`, `"allow"`, `{"optionId":"allow"}`,
	} {
		folder := t.TempDir()
		e := startEditor(t, t.TempDir(), llmtest.Call("write_file", `{"file_path":"a","content":"x"}`), llmtest.Say("ok"))
		m := e.response(e.prompt(e.start(folder), "go"), func(string) string { return answer })
		if _, err := os.Stat(filepath.Join(folder, "a")); err == nil {
			t.Errorf("%s allowed it", answer)
		}
		if m.Error != nil || !strings.Contains(strings.Join(e.lines, "\n"), `"status":"failed"`) {
			t.Errorf("%s: %s %+v", answer, m.Result, m.Error)
		}
	}
}

// Recorded sessions can be listed, loaded and deleted.
func TestEditorSessions(t *testing.T) {
	t.Parallel()
	home, folder := t.TempDir(), t.TempDir()
	if real, err := filepath.EvalSymlinks(folder); err == nil {
		folder = real
	}
	e := startEditor(t, home, llmtest.Call("write_file", `{"file_path":"a","content":"x"}`), llmtest.Say("done"), llmtest.Say("again"))
	session := e.start(folder)
	e.response(e.prompt(session, "remember me"), allowOnce)
	if m := e.response(e.request("session/list", map[string]any{"cwd": folder}), nil); !strings.Contains(string(m.Result), session) || !strings.Contains(string(m.Result), "remember me") {
		t.Errorf("list: %s", m.Result)
	}
	if m := e.response(e.request("session/load", map[string]any{"sessionId": session, "cwd": "/", "mcpServers": []any{}}), nil); m.Error == nil || m.Error.Code != -32602 || !strings.Contains(m.Error.Message, "belongs to "+folder) {
		t.Errorf("a load with another folder: %+v", m.Error)
	}
	before := len(e.lines)
	m := e.response(e.request("session/load", map[string]any{"sessionId": session, "cwd": folder, "mcpServers": []any{}}), nil)
	replay := strings.Join(e.lines[before:], "\n")
	if m.Error != nil || !strings.Contains(replay, `"user_message_chunk"`) || !strings.Contains(replay, "remember me") || !strings.Contains(replay, `"text":"done"`) || !strings.Contains(replay, `"status":"completed"`) {
		t.Errorf("load: %+v\n%s", m.Error, replay)
	}
	if m := e.response(e.prompt(session, "go on"), nil); string(m.Result) != `{"stopReason":"end_turn"}` {
		t.Errorf("after the load: %s %+v", m.Result, m.Error)
	}
	if m := e.response(e.request("session/close", map[string]any{"sessionId": session}), nil); m.Error != nil {
		t.Errorf("close: %+v", m.Error)
	}
	if m := e.response(e.prompt(session, "x"), nil); m.Error == nil || m.Error.Code != -32002 {
		t.Errorf("a prompt after the close: %s", m.Result)
	}
	if m := e.response(e.request("session/delete", map[string]any{"sessionId": session}), nil); m.Error != nil {
		t.Errorf("delete: %+v", m.Error)
	}
	if m := e.response(e.request("session/load", map[string]any{"sessionId": session, "cwd": folder, "mcpServers": []any{}}), nil); m.Error == nil || m.Error.Code != -32002 {
		t.Errorf("load after delete: %s %+v", m.Result, m.Error)
	}
}

func TestEditorErrors(t *testing.T) {
	t.Parallel()
	e := startEditor(t, t.TempDir())
	for _, c := range []struct {
		line string
		code int
	}{
		{`{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"relative","mcpServers":[]}}`, -32602},
		{`{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/no/such/folder","mcpServers":[]}}`, -32602},
		{`{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/","mcpServers":[]}}`, -32600}, // a client must send initialize first
		{`{"jsonrpc":"2.0","id":1,"method":"session/load","params":{"sessionId":"none","cwd":"/","mcpServers":[]}}`, -32600},
		{`{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"none","prompt":[]}}`, -32002},
		{`{"jsonrpc":"2.0","id":"x","method":"no/such","params":{}}`, -32601},
		{`{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":[]}`, -32602},
		{`{"broken`, -32700},
		{`[]`, -32700},
		{`{"jsonrpc":"2.0"}`, -32600},
		{`[1]`, -32600},
	} {
		e.send(c.line)
		if m := e.next(); m.Error == nil || m.Error.Code != c.code {
			t.Errorf("%s: %s %+v, want %d", c.line, m.Result, m.Error, c.code)
		}
	}
	// The agent accepts blank lines, carriage returns, lists and IDs of any type.
	e.send("\r\n\r\n[{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"initialize\",\"params\":{\"protocolVersion\":2}}]\r")
	if m := e.next(); !strings.Contains(string(m.Result), `"protocolVersion":1`) {
		t.Errorf("%s %+v", m.Result, m.Error)
	}
	e.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"x":"` + strings.Repeat("x", 17<<20) + `"}}`)
	if m := e.next(); m.Error == nil || m.Error.Code != -32600 {
		t.Errorf("a long line: %+v", m.Error)
	}
}
