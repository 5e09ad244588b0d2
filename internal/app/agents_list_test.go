package app_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"agent/internal/app"
	"agent/internal/atcmd"
	"agent/internal/testing/llmtest"
)

// /agents lists the agents whose description is shortened for the model, and the ones that the list
// omits. An omitted agent still works.
func TestAgentsWithoutRoom(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	for i := range 150 {
		name := fmt.Sprintf("agent-with-a-long-name-%03d", i)
		write(t, filepath.Join(p.Home, ".config/agent/agents", name+".md"), "---\nname: "+name+"\ndescription: "+strings.Repeat("does this and that ", 5)+"\n---\nDo.\n")
	}
	f := agentConversationIn(t, p, t.TempDir(), app.Options{}, inTurn(llmtest.Call("task", `{"task":"x","agent":"agent-with-a-long-name-149"}`), llmtest.Say("done")), inTurn(llmtest.Say("worked")))
	if _, err := f.Chat.Prompt(t.Context(), atcmd.TypedMessage("go")); err != nil {
		t.Fatal(err)
	}
	offered, lines := string(f.server.Requests()[0].Body), strings.Join(f.Subagents.AgentLines(), "\n")
	for name, listed := range map[string]bool{"agent-with-a-long-name-000": true, "agent-with-a-long-name-149": false} {
		if strings.Contains(offered, "- "+name+": does") != listed {
			t.Errorf("%s is in the list of the model: %v", name, !listed)
		}
		_, note, _ := strings.Cut(lines, name+"  ")
		note = strings.SplitN(note, "\n", 3)[1]
		if strings.Contains(note, "the model gets a shortened description") != listed || strings.Contains(note, "its list is full. To use it, type @agent-"+name) == listed {
			t.Errorf("/agents says of %s: %q", name, note)
		}
	}
	if said := f.said(); !strings.HasSuffix(said[1], "worked") {
		t.Errorf("%q", said)
	}
}

// If the file of a repository agent changes and allows more, resuming the agent requires consent.
func TestContinuedAgentsNeedConsent(t *testing.T) {
	t.Parallel()
	p, workspace, id := newProcess(t), t.TempDir(), ""
	file := filepath.Join(workspace, ".claude/agents/helper.md")
	write(t, file, "---\nname: helper\ndescription: d\ntools: Read\n---\nLook.\n")
	lead := func(r *llmtest.Request) llmtest.Turn {
		switch last := r.Last(); {
		case last.Content == "go":
			return llmtest.Call("task", `{"task":"look","agent":"helper"}`)
		case last.Content == "go on":
			return llmtest.Call("task", `{"task":"more","continue":"`+id+`"}`)
		case id == "":
			_, id, _ = strings.Cut(last.Content, "agent helper, ")
			id, _, _ = strings.Cut(id, ":")
		}
		return llmtest.Say("done")
	}
	agent := func(*llmtest.Request) llmtest.Turn { return llmtest.Say("looked") }
	for _, c := range []struct {
		tools, want string
	}{{"Read, Grep", ": done, "}, {"Read, Bash", `no subagent "helper"`}} {
		f := agentConversationIn(t, p, workspace, app.Options{Record: app.Record{Continue: id != ""}}, lead, agent)
		if id == "" {
			if _, err := f.Chat.Prompt(t.Context(), atcmd.TypedMessage("go")); err != nil {
				t.Fatal(err)
			}
		}
		f.Close()
		write(t, file, "---\nname: helper\ndescription: d\ntools: "+c.tools+"\n---\nLook.\n")
		f = agentConversationIn(t, p, workspace, app.Options{Record: app.Record{Continue: true}}, lead, agent)
		if _, err := f.Chat.Prompt(t.Context(), atcmd.TypedMessage("go on")); err != nil {
			t.Fatal(err)
		}
		if said := f.said(); !strings.Contains(said[1], c.want) {
			t.Errorf("%s: %q", c.tools, said[1])
		}
		f.Close()
	}
}

// The endpoint must list the model in an agent file. The file may contain an ID or a word of an ID,
// as Claude Code's files do. Any other model is reported as unknown.
func TestModelsOfAgentFiles(t *testing.T) {
	t.Parallel()
	for model, want := range map[string]string{
		"sonnet": "claude-sonnet-4-5", "claude-sonnet-4": "claude-sonnet-4", "sonn": "", "claude-sonnet-3": "", "inherit": "test-model", "[haiku, sonnet]": "",
	} {
		p := newProcess(t)
		write(t, filepath.Join(p.Home, ".claude/agents/helper.md"), "---\nname: helper\ndescription: d\nmodel: "+model+"\n---\nHelp.\n")
		used := ""
		agent := func(r *llmtest.Request) llmtest.Turn {
			_, used, _ = strings.Cut(string(r.Body), `"model":"`)
			used, _, _ = strings.Cut(used, `"`)
			return llmtest.Say("helped")
		}
		f := agentConversationIn(t, p, t.TempDir(), app.Options{}, inTurn(llmtest.Call("task", `{"task":"x","agent":"helper"}`), llmtest.Say("done")), agent)
		f.server.Answer("/v1/models", `{"object":"list","data":[{"id":"test-model"},{"id":"claude-sonnet-4-5"},{"id":"claude-sonnet-4"}]}`)
		if _, err := f.Chat.Prompt(t.Context(), atcmd.TypedMessage("go")); err != nil {
			t.Fatal(err)
		}
		noted := strings.Contains(f.said()[1], "in the subagent's file; the model of the conversation was used")
		if want == "" && (used != "test-model" || !noted) || want != "" && (used != want || noted) {
			t.Errorf("%s: %q worked, %q", model, used, f.said()[1])
		}
		f.Close()
	}
}
