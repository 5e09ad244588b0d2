package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agent/internal/testing/llmtest"
)

// wantingRepository returns a folder with a repository whose settings ask to allow commands.
func wantingRepository(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	for name, text := range map[string]string{".git/HEAD": "ref: refs/heads/main\n", ".claude/settings.json": `{"permissions": {"allow": ["Bash(mkdir:*)"]}}`} {
		if err := os.MkdirAll(filepath.Join(folder, filepath.Dir(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// An editor gets one approval prompt at the first prompt of a session. It lists everything that
// waits for consent and offers no "always".
func TestEditorIsAskedForConsentOnce(t *testing.T) {
	t.Parallel()
	for _, agree := range []bool{true, false} {
		folder := wantingRepository(t)
		e := startEditor(t, t.TempDir(), llmtest.Call("run_shell_command", `{"command":"mkdir made"}`), llmtest.Say("done"), llmtest.Say("again"))
		session := e.start(folder)
		var asked []string
		answer := func(params string) string {
			asked = append(asked, params)
			if strings.Contains(params, `"toolCallId":"consent"`) && !agree {
				return `{"outcome":{"outcome":"selected","optionId":"refuse"}}`
			}
			return allowOnce("")
		}
		for range 2 {
			if m := e.response(e.prompt(session, "go"), answer); string(m.Result) != `{"stopReason":"end_turn"}` {
				t.Fatalf("%s %+v", m.Result, m.Error)
			}
		}
		want := 2 // the consent, and the call that no rule allows
		if agree {
			want = 1
		}
		if len(asked) != want || !strings.Contains(asked[0], "Bash(mkdir:*)") || strings.Contains(asked[0], "always") {
			t.Errorf("agree %v: asked %q", agree, asked)
		}
	}
}

// A cancel while the prompt for consent is open ends the prompts that wait for it.
func TestEditorCancelsTheQuestionOfConsent(t *testing.T) {
	t.Parallel()
	e := startEditor(t, t.TempDir(), llmtest.Say("one").Hang())
	session := e.start(wantingRepository(t))
	first := e.prompt(session, "go")
	for m := e.next(); m.Method != "session/request_permission"; m = e.next() {
	}
	second := e.prompt(session, "and this")
	e.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":%q}}`, session))
	for n := 0; n < 2; {
		switch m := e.next(); string(m.ID) {
		case fmt.Sprint(first), fmt.Sprint(second):
			if n++; string(m.Result) != `{"stopReason":"cancelled"}` {
				t.Errorf("%s: %s %+v", m.ID, m.Result, m.Error)
			}
		}
	}
}

// Consent covers only the configuration that the prompt showed, even if it changes while the prompt
// is open. The editor then receives a notice with the changes.
func TestConsentOfAnEditorCoversTheShownItems(t *testing.T) {
	t.Parallel()
	folder := wantingRepository(t)
	for name, text := range map[string]string{".mcp.json": `{"mcpServers": {"db": {"command": "./run.sh"}}}`, "run.sh": "exit 1"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	e := startEditor(t, t.TempDir(), llmtest.Say("done"))
	session := e.start(folder)
	prompt := e.prompt(session, "go")
	m := e.next()
	for m.Method != "session/request_permission" {
		m = e.next()
	}
	e.response(e.prompt(session, "/trust yes .claude/settings.json"), nil)
	if err := os.WriteFile(filepath.Join(folder, "run.sh"), []byte("exit 2"), 0o755); err != nil {
		t.Fatal(err)
	}
	e.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, allowOnce("")))
	e.response(prompt, nil)
	e.response(e.prompt(session, "/trust"), nil)
	if said := strings.Join(e.lines, "\n"); !strings.Contains(said, "server db of .mcp.json: Not used, because it changed after it was shown") || !strings.Contains(said, "changed  ") {
		t.Error(said)
	}
}
