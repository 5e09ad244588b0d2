package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agent/internal/testing/llmtest"
)

func init() { pastTime = time.Minute }

// pastSession returns a recorded session of Claude Code. It reads and rewrites a large file, which
// stays in the context of thirty further requests.
func pastSession(at time.Time) string {
	var b strings.Builder
	stamp := at.UTC().Format(time.RFC3339)
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line(`{"type":"user","uuid":"0","sessionId":"s","cwd":"/w/p","timestamp":%q,"message":{"content":"go"}}`, stamp)
	line(`{"type":"assistant","uuid":"1","sessionId":"s","timestamp":%q,"message":{"id":"m1","model":"claude-opus-4-5-20251101","content":[{"type":"tool_use","id":"c1","name":"Read","input":{"file_path":"/w/p/a"}}]}}`, stamp)
	line(`{"type":"user","uuid":"2","sessionId":"s","timestamp":%q,"message":{"content":[{"type":"tool_result","tool_use_id":"c1","content":%q}]}}`, stamp, strings.Repeat("some words of a file ", 3000))
	line(`{"type":"assistant","uuid":"3","sessionId":"s","timestamp":%q,"message":{"id":"m2","model":"claude-opus-4-5-20251101","content":[{"type":"tool_use","id":"c2","name":"Write","input":{"file_path":"/w/p/a","content":"short"}}]}}`, stamp)
	line(`{"type":"user","uuid":"4","sessionId":"s","timestamp":%q,"message":{"content":[{"type":"tool_result","tool_use_id":"c2","content":"ok"}]}}`, stamp)
	for i := range 30 {
		line(`{"type":"assistant","uuid":"a%d","sessionId":"s","timestamp":%q,"message":{"id":"n%d","model":"claude-opus-4-5-20251101","content":[{"type":"tool_use","id":"d%d","name":"Bash","input":{"command":"echo %d"}}]}}`, i, stamp, i, i, i)
		line(`{"type":"user","uuid":"b%d","sessionId":"s","timestamp":%q,"message":{"content":[{"type":"tool_result","tool_use_id":"d%d","content":"%d"}]}}`, i, stamp, i, i)
	}
	return b.String()
}

// The cost comparison with the user's earlier sessions is printed once. It uses the numbers of
// these sessions and sends no request.
func TestThePastIsToldOnce(t *testing.T) {
	t.Parallel()
	home, server := t.TempDir(), llmtest.New(t)
	folder := filepath.Join(home, ".claude", "projects", "-w")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, at := range map[string]time.Time{"s.jsonl": time.Now().Add(-time.Hour), "old.jsonl": time.Now().AddDate(0, -3, 0)} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(pastSession(at)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	environ := []string{"OPENAI_BASE_URL=" + server.URL + "/v1"}
	const said = " with Claude Code cost $"
	shown := startUnconfigured(t, home, environ, "-m", "m").until("agent savings")
	shown = strings.Join(strings.Fields(shown), " ") // the line is wrapped
	if !strings.Contains(shown, said) || !strings.Contains(shown, "the same with agent: $") || strings.Contains(shown, "2 latest") {
		t.Errorf("the line is\n%s", shown)
	}
	if requests := server.Requests(); len(requests) > 0 {
		t.Errorf("%d requests were sent", len(requests))
	}
	told := filepath.Join(home, ".local", "state", "agent", "past-told")
	if _, err := os.Stat(told); err != nil {
		t.Fatal(err)
	}
	w := processWorld()
	w.process.Home, w.process.Environ = home, []string{"HOME=" + home}
	if line := pastLine(t.Context(), w); line == "" {
		t.Error("the sessions have nothing to tell any more")
	}
	tellPast(t.Context(), w, sessionOptions{}, nil) // no conversation is needed, because the comparison was printed before
}
