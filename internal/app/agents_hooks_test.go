package app_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agent/internal/app"
	"agent/internal/atcmd"
	"agent/internal/testing/llmtest"
)

// logHooks installs user hooks that append their input to a file, one line each.
func logHooks(t *testing.T, p *app.Process) (log string) {
	t.Helper()
	log = filepath.Join(p.Home, "log")
	notes := "cat >>" + log + "; echo >>" + log
	one := func(command string) any {
		return []any{map[string]any{"matcher": "*", "hooks": []any{map[string]any{"type": "command", "command": command}}}}
	}
	all, err := json.Marshal(map[string]any{"hooks": map[string]any{
		"SubagentStart": one(notes + `; echo '{"hookSpecificOutput":{"hookEventName":"SubagentStart","additionalContext":"mind the gap"}}'`),
		"PreToolUse":    one(notes), "SubagentStop": one(notes),
	}})
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(p.Home, ".config/agent/hooks.json"), string(all))
	return log
}

// A hook receives the start of a subagent before its first request, then its calls, then its end.
// Each event has the ID and the kind of the subagent in the members that Claude Code uses. Text
// that the hook returns at the start precedes the task.
func TestAgentsTellHooks(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	log := logHooks(t, p)
	agent := func(r *llmtest.Request) llmtest.Turn {
		if r.Last().Role == "tool" {
			return llmtest.Say("seen it")
		}
		if text, _ := os.ReadFile(log); !strings.Contains(string(text), "SubagentStart") {
			t.Error("the agent asks its model before the hook ran")
		}
		if said := r.Last().Content; !strings.Contains(said, "mind the gap") || !strings.HasSuffix(said, "look") {
			t.Errorf("the agent is told %q", said)
		}
		return llmtest.Call("list_directory", `{"path":"."}`)
	}
	f := agentConversationIn(t, p, t.TempDir(), app.Options{}, inTurn(llmtest.Call("task", `{"task":"look","title":"a look"}`), llmtest.Say("done")), agent, "sandbox=off")
	if _, err := f.Chat.Prompt(t.Context(), atcmd.TypedMessage("go")); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	var events, ids []string
	for line := range strings.Lines(string(text)) {
		var in struct {
			Event      string `json:"hook_event_name"`
			Tool       string `json:"tool_name"`
			ID         string `json:"agent_id"`
			Kind       string `json:"agent_type"`
			Title      string
			Status     string
			Said       string `json:"last_assistant_message"`
			Transcript string `json:"agent_transcript_path"`
		}
		if err := json.Unmarshal([]byte(line), &in); err != nil {
			t.Fatalf("%v: %q", err, line)
		}
		events = append(events, in.Event+" "+in.Tool+in.Title+in.Status)
		if in.Tool == "Task" {
			if in.ID != "" || in.Kind != "" {
				t.Errorf("a call of the person's conversation has an agent: %s", line)
			}
			continue
		}
		ids = append(ids, in.ID)
		if in.Kind != "explore" || in.Event == "SubagentStop" && (in.Said != "seen it" || !strings.HasSuffix(in.Transcript, in.ID+".jsonl")) {
			t.Errorf("%s", line)
		}
	}
	if want := []string{"PreToolUse Task", "SubagentStart a look", "PreToolUse LS", "SubagentStop done"}; !slices.Equal(events, want) {
		t.Errorf("the hooks heard %q, want %q", events, want)
	}
	if len(slices.Compact(ids)) != 1 || !strings.HasPrefix(ids[0], "s-") {
		t.Errorf("ids %q", ids)
	}
}

// A hook also receives the end of a subagent that an interrupt ends.
func TestInterruptedAgentsTellHooks(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	log := logHooks(t, p)
	var f *agentConversation
	agent := func(*llmtest.Request) llmtest.Turn {
		f.Chat.Interrupt()
		return llmtest.Call("list_directory", `{"path":"."}`)
	}
	f = agentConversationIn(t, p, t.TempDir(), app.Options{}, inTurn(llmtest.Call("task", `{"task":"look"}`)), agent, "sandbox=off")
	if _, err := f.Chat.Prompt(t.Context(), atcmd.TypedMessage("go")); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(log); err != nil || !strings.Contains(string(text), `"status":"interrupted"`) {
		t.Errorf("%v: %s", err, text)
	}
}
