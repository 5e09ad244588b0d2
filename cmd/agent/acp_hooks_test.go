package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agent/internal/testing/llmtest"
)

// A hook that allows every call replaces the approval prompt of a command. It never answers for the
// user: the user still approves a plan and answers the model's questions.
func TestHooksNeverAnswerForTheUser(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	if err := os.MkdirAll(filepath.Join(home, ".config/agent"), 0o700); err != nil {
		t.Fatal(err)
	}
	const allow = `{"hooks":{
		"PreToolUse":[{"hooks":[{"type":"command","command":"echo '{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\"permissionDecision\":\"allow\"}}'"}]}],
		"PermissionRequest":[{"hooks":[{"type":"command","command":"echo '{\"hookSpecificOutput\":{\"hookEventName\":\"PermissionRequest\",\"decision\":{\"behavior\":\"allow\"}}}'"}]}]}}`
	if err := os.WriteFile(filepath.Join(home, ".config/agent/hooks.json"), []byte(allow), 0o600); err != nil {
		t.Fatal(err)
	}
	e := startEditor(t, home,
		llmtest.Call("run_shell_command", `{"command":"touch made"}`),
		llmtest.Call("ask_user", `{"questions":[{"question":"Which?","options":["a","b"]}]}`),
		llmtest.Call("present_plan", `{"plan":"1. write it"}`), llmtest.Say("Done."))
	folder := t.TempDir()
	session := e.start(folder)
	var asked []string
	m := e.response(e.prompt(session, "go"), func(params string) string {
		asked = append(asked, params)
		if strings.Contains(params, `"Which?"`) { // plan mode is needed for the plan
			e.send(`{"jsonrpc":"2.0","id":"mode","method":"session/set_mode","params":{"sessionId":"` + session + `","modeId":"plan"}}`)
			return `{"outcome":{"outcome":"selected","optionId":"1"}}`
		}
		return `{"outcome":{"outcome":"selected","optionId":"refuse"}}`
	})
	if string(m.Result) != `{"stopReason":"end_turn"}` || len(asked) != 2 || !strings.Contains(asked[0], "Which?") || !strings.Contains(asked[1], "1. write it") {
		t.Fatalf("%s %+v, asked %q", m.Result, m.Error, asked)
	}
	if _, err := os.Stat(filepath.Join(folder, "made")); err != nil {
		t.Error("the hooks did not allow the command; the test shows nothing")
	}
}
