package app_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"agent/internal/app"
	"agent/internal/atcmd"
	"agent/internal/chat"
	"agent/internal/settings"
	"agent/internal/snapshot"
	"agent/internal/testing/llmtest"
)

// agentConversation is a conversation whose model starts subagents.
type agentConversation struct {
	*app.Conversation
	server    *llmtest.Server
	workspace string

	mu     sync.Mutex
	events []chat.Event
	// answer answers the approval prompts of subagents.
	answer func(chat.Approval) chat.Decision
}

// isAgents reports whether a subagent sent the request.
func isAgents(r *llmtest.Request) bool {
	return strings.Contains(r.Messages[0].Content, "# Your task")
}

// newAgentConversation starts a conversation with a model for the user and one for subagents.
func newAgentConversation(t *testing.T, o app.Options, lead, agent func(*llmtest.Request) llmtest.Turn, set ...string) *agentConversation {
	t.Helper()
	return agentConversationIn(t, newProcess(t), t.TempDir(), o, lead, agent, set...)
}

// agentConversationIn is newAgentConversation with an existing process and workspace.
func agentConversationIn(t *testing.T, p *app.Process, workspace string, o app.Options, lead, agent func(*llmtest.Request) llmtest.Turn, set ...string) *agentConversation {
	t.Helper()
	base, err := p.Settings(app.Sources{Set: set})
	if err != nil {
		t.Fatal(err)
	}
	f := &agentConversation{workspace: workspace, answer: func(chat.Approval) chat.Decision { return chat.Decision{Allow: true} }}
	f.server = llmtest.NewFunc(t, func(r *llmtest.Request) llmtest.Turn {
		if isAgents(r) {
			return agent(r)
		}
		return lead(r)
	})
	for key, value := range map[string]string{settings.BaseURL.Key(): f.server.URL, settings.Model.Key(): "test-model", "context-limit": "100000", "price.input": "1", "price.output": "1"} {
		if err := base.Set(settings.LayerProfile, key, value); err != nil {
			t.Fatal(err)
		}
	}
	o.Workspace, o.Settings, o.Events = f.workspace, base, f.event
	if f.Conversation, err = app.New(t.Context(), p, o); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	return f
}

func (f *agentConversation) event(e chat.Event) {
	f.mu.Lock()
	f.events = append(f.events, e)
	f.mu.Unlock()
	if asked, ok := e.(chat.ApprovalRequested); ok {
		go func() { f.Chat.Answer(asked.Approval.ID, f.answer(asked.Approval)) }()
	}
}

// said returns the last message of each request of the main conversation.
func (f *agentConversation) said() (texts []string) {
	for _, r := range f.server.Requests() {
		if !isAgents(r) {
			texts = append(texts, r.Last().Content)
		}
	}
	return texts
}

// inTurn returns the turns one after another.
func inTurn(turns ...llmtest.Turn) func(*llmtest.Request) llmtest.Turn {
	var mu sync.Mutex
	next := 0
	return func(*llmtest.Request) llmtest.Turn {
		mu.Lock()
		defer mu.Unlock()
		next++
		return turns[next-1]
	}
}

// A subagent reads 60 files, but the parent's context grows only by the report. The subagent has no
// tool task. Each request of the parent begins with the bytes of the one before.
func TestAgentsReportOnly(t *testing.T) {
	t.Parallel()
	const files = 60
	lead := inTurn(llmtest.Call("Task", `{"prompt":"find the answer","subagent_type":"explore","description":"the answer"}`), llmtest.Say("42"))
	agent := func(r *llmtest.Request) llmtest.Turn {
		read := 0
		for _, m := range r.Messages {
			if m.Role == "tool" {
				read++
			}
		}
		if read == files {
			return llmtest.Say("f7.txt:1 says 42")
		}
		turn := llmtest.Turn{}
		for i := range files {
			turn = turn.Call("read_file", fmt.Sprintf(`{"file_path":"f%d.txt"}`, i))
		}
		return turn
	}
	f := newAgentConversation(t, app.Options{}, lead, agent)
	for i := range files {
		write(t, filepath.Join(f.workspace, fmt.Sprintf("f%d.txt", i)), strings.Repeat("some line of text\n", 600))
	}
	if _, err := f.Chat.Prompt(t.Context(), atcmd.TypedMessage("what is the answer?")); err != nil {
		t.Fatal(err)
	}
	said := f.said()
	if len(said) != 2 {
		t.Fatalf("the parent was asked %d times: %q", len(said), said)
	}
	lines := strings.SplitN(said[1], "\n", 3)
	if len(lines) != 3 || !strings.HasPrefix(lines[0], "agent explore, s-") || !strings.Contains(lines[0], ": done, 2 requests, 60 calls, ") ||
		lines[1] != "changed: none" || !strings.HasPrefix(lines[2], "f7.txt:1 says 42") {
		t.Errorf("the report is %q", said[1])
	}
	var before []string
	for _, r := range f.server.Requests() {
		if isAgents(r) {
			if slices.Contains(r.ToolNames(), "task") || slices.Contains(r.ToolNames(), "replace") {
				t.Errorf("an agent that only looks is offered %q", r.ToolNames())
			}
			continue
		}
		messages := messagesOf(t, r.Body)
		if len(messages) < len(before) || !slices.Equal(messages[:len(before)], before) {
			t.Error("a request of the parent does not begin with the one before")
		}
		before = messages
	}
	go f.Run(t.Context())
	stats, err := f.Chat.Stats(t.Context())
	if err != nil || stats.Agents.Agents != 1 || stats.Agents.Requests != 2 || stats.Requests != 2 {
		t.Errorf("stats %+v, %v", stats.Agents, err)
	}
}

// messagesOf returns the messages in the body of a request, as raw JSON.
func messagesOf(t *testing.T, body []byte) (messages []string) {
	t.Helper()
	var request struct{ Messages []json.RawMessage }
	if err := json.Unmarshal(body, &request); err != nil {
		t.Fatal(err)
	}
	for _, message := range request.Messages {
		messages = append(messages, string(message))
	}
	return messages
}

// A subagent that may edit asks the user under its own name. The report lists its changes, and undo
// of the turn reverts them.
func TestAgentsAskAndAreUndone(t *testing.T) {
	t.Parallel()
	agent := inTurn(llmtest.Call("write_file", `{"file_path":"new.txt","content":"one\ntwo\n"}`), llmtest.Say("written"))
	f := newAgentConversation(t, app.Options{}, inTurn(llmtest.Call("task", `{"task":"write it","agent":"general"}`), llmtest.Say("done")), agent)
	var asked []string
	f.answer = func(a chat.Approval) chat.Decision {
		f.mu.Lock()
		defer f.mu.Unlock()
		asked = append(asked, a.Agent)
		return chat.Decision{Allow: true}
	}
	if _, err := f.Chat.Prompt(t.Context(), atcmd.TypedMessage("go")); err != nil {
		t.Fatal(err)
	}
	if report := f.said()[1]; !strings.Contains(report, "\nchanged: new.txt new\nwritten") || !slices.Equal(asked, []string{"general"}) {
		t.Errorf("asked %q, report %q", asked, report)
	}
	go f.Run(t.Context())
	plan, err := f.Chat.Past.PlanFiles(t.Context(), snapshot.Undo)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Chat.Past.ApplyFilePlan(t.Context(), plan); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(f.workspace, "new.txt")); !os.IsNotExist(err) {
		t.Errorf("undo leaves the file: %v", err)
	}
}

// If there is no user to ask, a call of a subagent that requires approval ends the run, also in the
// background.
func TestAgentsWithNobodyToAsk(t *testing.T) {
	t.Parallel()
	for _, background := range []string{"false", "true"} {
		lead := inTurn(llmtest.Call("task", `{"task":"write it","agent":"general","background":`+background+`}`), llmtest.Say("waiting"), llmtest.Say("never"))
		f := newAgentConversation(t, app.Options{Unattended: true}, lead, inTurn(llmtest.Call("write_file", `{"file_path":"new.txt","content":"x"}`)))
		outcome, err := f.Chat.Prompt(t.Context(), atcmd.TypedMessage("go"))
		if outcome.Stop != chat.StopDenied || err != nil {
			t.Errorf("background %s: %v, %v", background, outcome.Stop, err)
		}
	}
}

// If the user refuses a call of a subagent, only the subagent ends. The turn continues with its
// report.
func TestAgentsAreStoppedByARefusal(t *testing.T) {
	t.Parallel()
	lead := inTurn(llmtest.Call("task", `{"task":"write it","agent":"general"}`).Call("task", `{"task":"look"}`), llmtest.Say("done"))
	f := newAgentConversation(t, app.Options{}, lead, func(r *llmtest.Request) llmtest.Turn {
		if strings.Contains(r.Last().Content, "write it") {
			return llmtest.Say("I begin").Call("write_file", `{"file_path":"new.txt","content":"x"}`)
		}
		return llmtest.Say("seen")
	})
	f.answer = func(chat.Approval) chat.Decision { return chat.Decision{} }
	outcome, err := f.Chat.Prompt(t.Context(), atcmd.TypedMessage("go"))
	if err != nil || outcome.Response != "done" {
		t.Fatalf("%+v, %v", outcome, err)
	}
	answers := f.server.Requests()[len(f.server.Requests())-1].Messages
	var reports string
	for _, m := range answers[len(answers)-2:] {
		reports += m.Content
	}
	if !strings.Contains(reports, ": stopped: the user refused a call, 1 request") || !strings.Contains(reports, "I begin") || !strings.Contains(reports, "seen") {
		t.Errorf("%q", reports)
	}
}

// The report of a background subagent arrives as a message before the turn ends.
func TestAgentsInTheBackground(t *testing.T) {
	t.Parallel()
	lead := inTurn(llmtest.Call("task", `{"task":"look","background":true}`), llmtest.Say("meanwhile"), llmtest.Say("and now I know"))
	f := newAgentConversation(t, app.Options{}, lead, inTurn(llmtest.Say("found it")))
	outcome, err := f.Chat.Prompt(t.Context(), atcmd.TypedMessage("go"))
	if err != nil || outcome.Response != "and now I know" {
		t.Fatalf("%+v, %v", outcome, err)
	}
	said := f.said()
	if !strings.HasPrefix(said[1], "started s-") || !strings.Contains(said[2], "The agent explore s-") || !strings.Contains(said[2], "found it") {
		t.Errorf("%q", said)
	}
}

// The user can move a subagent to the background while the turn waits for it. An interrupt of the
// turn then does not end it.
func TestAgentsMoveToTheBackground(t *testing.T) {
	t.Parallel()
	var f *agentConversation
	goOn := make(chan struct{})
	agent := func(*llmtest.Request) llmtest.Turn {
		if f.Background(0) || !f.Background(1) {
			t.Error("no agent to put into the background")
		}
		<-goOn
		return llmtest.Say("found it")
	}
	steps := 0
	lead := func(*llmtest.Request) llmtest.Turn {
		switch steps++; steps {
		case 1:
			return llmtest.Call("task", `{"task":"look"}`)
		case 2:
			close(goOn)
			return llmtest.Say("meanwhile")
		}
		return llmtest.Say("and now I know")
	}
	f = newAgentConversation(t, app.Options{}, lead, agent)
	outcome, err := f.Chat.Prompt(t.Context(), atcmd.TypedMessage("go"))
	if err != nil || outcome.Response != "and now I know" {
		t.Fatalf("%+v, %v", outcome, err)
	}
	if said := f.said(); !strings.HasPrefix(said[1], "started s-") || !strings.Contains(said[2], "found it") {
		t.Errorf("%q", said)
	}
	if f.Background(1) {
		t.Error("an agent that has ended was put into the background")
	}
}

// A subagent stops at its limits with a report. If it is resumed, it continues with its context.
func TestAgentsBoundsAndContinue(t *testing.T) {
	t.Parallel()
	requests := 0
	agent := func(r *llmtest.Request) llmtest.Turn {
		if requests++; strings.Contains(r.Last().Content, "last reply") {
			return llmtest.Say("so far nothing").Call("read_file", `{"file_path":"a.txt"}`)
		}
		if slices.ContainsFunc(r.Messages, func(m llmtest.Message) bool { return m.Role == "user" && m.Content == "go on" }) {
			if !strings.Contains(r.Messages[1].Content, "look for ever") {
				t.Errorf("the context is gone: %q", r.Messages[1].Content)
			}
			return llmtest.Say("found now")
		}
		return llmtest.Call("list_directory", fmt.Sprintf(`{"path":".","ignore":["%d"]}`, requests))
	}
	var f *agentConversation
	lead := func(r *llmtest.Request) llmtest.Turn {
		switch last := r.Last(); {
		case strings.Contains(last.Content, "stopped at 3 requests"):
			id := last.Content[strings.Index(last.Content, "s-"):]
			return llmtest.Call("task", `{"task":"go on","continue":"`+id[:7]+`"}`)
		case last.Role == "tool":
			return llmtest.Say("done")
		}
		return llmtest.Call("task", `{"task":"look for ever"}`)
	}
	f = newAgentConversation(t, app.Options{}, lead, agent, "agents.max-turns=3")
	if _, err := f.Chat.Prompt(t.Context(), atcmd.TypedMessage("go")); err != nil {
		t.Fatal(err)
	}
	said := f.said()
	if len(said) != 3 || !strings.Contains(said[1], "so far nothing") || !strings.Contains(said[2], ": done, ") || !strings.Contains(said[2], "found now") {
		t.Errorf("%q", said)
	}
}

// The conversation can recall the work of its subagents, even if the search in earlier sessions is
// off. For an unknown subagent it receives an error.
func TestAgentsAreRecalled(t *testing.T) {
	t.Parallel()
	for _, searched := range []string{"repository", "off"} {
		id, step := "", 0
		lead := func(r *llmtest.Request) llmtest.Turn {
			last := r.Last().Content
			if i := strings.Index(last, "s-"); id == "" && i >= 0 && r.Last().Role == "tool" {
				id = last[i : i+7]
			}
			step++
			switch step {
			case 1:
				return llmtest.Call("task", `{"task":"find the needle"}`)
			case 2:
				return llmtest.Call("recall", `{"session":"`+id+`"}`)
			case 3:
				return llmtest.Call("recall", `{"session":"`+id+`","match":"needle-42"}`)
			case 4:
				number := last[strings.LastIndex(last, "number ")+len("number "):]
				return llmtest.Call("recall", `{"session":"`+id+`","number":`+number[:strings.Index(number, ":")]+`}`)
			case 5:
				return llmtest.Call("recall", `{"session":"s-zzzzz"}`)
			}
			return llmtest.Say("done")
		}
		f := newAgentConversation(t, app.Options{}, lead, inTurn(llmtest.Call("read_file", `{"file_path":"a.txt"}`), llmtest.Say("found")), "recall.sessions="+searched)
		write(t, filepath.Join(f.workspace, "a.txt"), "hay\nneedle-42\n")
		if _, err := f.Chat.Prompt(t.Context(), atcmd.TypedMessage("go")); err != nil {
			t.Fatal(err)
		}
		said := f.said()
		if len(said) != 6 || !strings.Contains(said[2], "human: find the needle") || !strings.Contains(said[2], "ai: read_file") ||
			!strings.Contains(said[3], "agent "+id+", number ") || !strings.Contains(said[3], "needle-42") || !strings.Contains(said[4], "| needle-42") || !strings.Contains(strings.ToLower(said[5]), "no session") && searched != "off" {
			t.Errorf("%s: %q", searched, said)
		}
	}
}

// An interrupt ends a working subagent, and its call gets an answer.
func TestAgentsAreInterrupted(t *testing.T) {
	t.Parallel()
	var f *agentConversation
	agent := func(*llmtest.Request) llmtest.Turn {
		f.Chat.Interrupt()
		return llmtest.Call("list_directory", `{"path":"."}`)
	}
	f = newAgentConversation(t, app.Options{}, inTurn(llmtest.Call("task", `{"task":"look"}`), llmtest.Say("on we go")), agent)
	outcome, err := f.Chat.Prompt(t.Context(), atcmd.TypedMessage("go"))
	if outcome.Stop != chat.StopInterrupted || err != nil {
		t.Fatalf("%+v, %v", outcome, err)
	}
	if _, err := f.Chat.Prompt(t.Context(), atcmd.TypedMessage("and?")); err != nil {
		t.Fatal(err)
	}
	requests := f.server.Requests()
	answered := false
	for _, m := range requests[len(requests)-1].Messages {
		answered = answered || m.Role == "tool" && strings.Contains(m.Content, "interrupted")
	}
	if !answered {
		t.Error("the call has no answer that says so")
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// @agent-NAME names an agent to the model. An unknown name is refused before anything is sent.
func TestAgentMention(t *testing.T) {
	t.Parallel()
	f := newAgentConversation(t, app.Options{}, inTurn(llmtest.Say("fine")), inTurn())
	if _, err := f.Chat.Prompt(t.Context(), atcmd.TypedMessage("@agent-nobody look")); err == nil || !strings.Contains(err.Error(), `no subagent "nobody"`) {
		t.Errorf("an unknown agent: %v", err)
	}
	if _, err := f.Chat.Prompt(t.Context(), atcmd.TypedMessage("@agent-explore look")); err != nil {
		t.Fatal(err)
	}
	if said := f.said(); len(said) != 1 || !strings.Contains(said[0], "look") || strings.Contains(said[0], "@agent") || !strings.Contains(said[0], "Give this to the agent explore") {
		t.Errorf("%q", said)
	}
	f = newAgentConversation(t, app.Options{}, inTurn(llmtest.Say("I will")), inTurn())
	if _, err := f.Chat.Prompt(t.Context(), atcmd.TypedMessage("@agent-explore\nlook\nhere")); err != nil {
		t.Fatal(err)
	}
	if said := f.said(); len(said) != 1 || !strings.HasPrefix(said[0], "look\nhere") || !strings.Contains(said[0], "Give this to the agent explore") {
		t.Errorf("a name at the end of a line: %q", said)
	}
	if lines := strings.Join(f.Subagents.AgentLines(), "\n"); !strings.Contains(lines, "explore  ") || !strings.Contains(lines, "general  ") {
		t.Errorf("%s", lines)
	}
}

// An agent whose file excludes all tools is not offered, and /agents reports it. An agent with the
// tools of a server may get them later, so it stays.
func TestAgentsWithoutTools(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	for name, tools := range map[string]string{
		"unknown": "tools: Frobnicate, Twiddle", "taken": `disallowedTools: "*"`, "both": "tools: Read\ndisallowedTools: Read", "only-task": "tools: Task",
		"served": "tools: mcp__github__*", "reads": "tools: Frobnicate, Read",
	} {
		write(t, filepath.Join(p.Home, ".config/agent/agents", name+".md"), "---\nname: "+name+"\ndescription: d\n"+tools+"\n---\nDo.\n")
	}
	f := agentConversationIn(t, p, t.TempDir(), app.Options{}, inTurn(llmtest.Call("task", `{"task":"x","agent":"unknown"}`), llmtest.Say("done")), inTurn())
	if _, err := f.Chat.Prompt(t.Context(), atcmd.TypedMessage("go")); err != nil {
		t.Fatal(err)
	}
	offered, lines := string(f.server.Requests()[0].Body), strings.Join(f.Subagents.AgentLines(), "\n")
	for name, want := range map[string]bool{"unknown": false, "taken": false, "both": false, "only-task": false, "served": true, "reads": true} {
		if is := strings.Contains(offered, "- "+name+": d"); is != want {
			t.Errorf("%s is offered: %v", name, is)
		}
		if told := strings.Contains(lines, name+".md: no tool is left for the subagent"); told == want {
			t.Errorf("/agents says of %s: %v\n%s", name, told, lines)
		}
	}
	if said := f.said(); !strings.Contains(said[1], `no subagent "unknown"`) {
		t.Errorf("%q", said)
	}
}

// A shortened report names the place of the complete report, which is the record of the subagent.
// recall finds it there, even after the session was resumed in read-only mode.
func TestLongReportsAreKept(t *testing.T) {
	t.Parallel()
	report := "BEGIN\n" + strings.Repeat("line of the report\n", 1000) + "middle-42\n" + strings.Repeat("line of the report\n", 1000) + "END"
	place := regexp.MustCompile(`full report: recall, session "(s-[a-z0-9]+)", number (\d+)`)
	recall := func(r *llmtest.Request) llmtest.Turn {
		for _, m := range slices.Backward(r.Messages) {
			if found := place.FindStringSubmatch(m.Content); found != nil {
				if r.Last().Role != "tool" || strings.Contains(r.Last().Content, "full report") {
					return llmtest.Call("recall", fmt.Sprintf(`{"session":%q,"number":%s,"offset":990}`, found[1], found[2])).Call("recall", fmt.Sprintf(`{"session":%q,"match":"middle-42"}`, found[1]))
				}
				return llmtest.Say("seen")
			}
		}
		return llmtest.Call("task", `{"task":"tell all"}`)
	}
	p, workspace := newProcess(t), t.TempDir()
	f := agentConversationIn(t, p, workspace, app.Options{}, recall, inTurn(llmtest.Say(report)))
	if _, err := f.Chat.Prompt(t.Context(), atcmd.TypedMessage("go")); err != nil {
		t.Fatal(err)
	}
	f.Close()
	g := agentConversationIn(t, p, workspace, app.Options{Record: app.Record{Continue: true}}, recall, inTurn(), "approval-mode=read-only")
	if _, err := g.Chat.Prompt(t.Context(), atcmd.TypedMessage("and again")); err != nil {
		t.Fatal(err)
	}
	for _, f := range []*agentConversation{f, g} {
		last := f.server.Requests()[len(f.server.Requests())-1].Messages
		for _, m := range last[len(last)-2:] {
			if !strings.Contains(m.Content, "middle-42") {
				t.Errorf("%.300q", m.Content)
			}
		}
	}
}
