package app_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"agent/internal/app"
	"agent/internal/atcmd"
	"agent/internal/chat"
	"agent/internal/snapshot"
	"agent/internal/testing/llmtest"
)

// interruptedTurn returns a conversation whose turn was interrupted while a subagent works in the
// background. free lets the model of the subagent answer.
func interruptedTurn(t *testing.T, o app.Options) (f *agentConversation, free func()) {
	t.Helper()
	answers, asked := make(chan struct{}), make(chan struct{})
	free = sync.OnceFunc(func() { close(answers) })
	turns := inTurn(llmtest.Call("task", `{"task":"look","background":true}`), llmtest.Say("meanwhile"), llmtest.Say("well"))
	lead := func(r *llmtest.Request) llmtest.Turn {
		if r.Last().Role == "tool" {
			close(asked)
		}
		return turns(r)
	}
	agent := func(*llmtest.Request) llmtest.Turn {
		<-asked // two requests, however fast the subagent is
		f.Chat.Interrupt()
		<-answers
		return llmtest.Say("found it")
	}
	f = newAgentConversation(t, o, lead, agent)
	t.Cleanup(free)
	if outcome, err := f.Chat.Prompt(t.Context(), atcmd.TypedMessage("go")); err != nil || outcome.Stop != chat.StopInterrupted {
		t.Fatalf("%+v, %v", outcome, err)
	}
	return f, free
}

// If the interface does not show subagents after the turn, they end before the turn does, and their
// figures count for it.
func TestAgentsEndWithTheTurn(t *testing.T) {
	t.Parallel()
	f, _ := interruptedTurn(t, app.Options{})
	if ids, _ := f.Subagents.RunningAgents(); len(ids) > 0 {
		t.Errorf("%q work", ids)
	}
	var told []string
	agents := 0
	for _, e := range f.events {
		switch e := e.(type) {
		case chat.AgentEnded:
			told = append(told, "agent "+e.Status)
		case chat.TurnEnded:
			told = append(told, "turn")
		case chat.StatusChanged:
			agents = e.Stats.Agents.Agents
		}
	}
	if !slices.Equal(told, []string{"agent interrupted", "turn"}) || agents != 1 {
		t.Errorf("%q, %d agents counted", told, agents)
	}
}

// While subagents work after the turn, no content of the conversation can be removed. Their reports
// wait for the next message.
func TestContentStaysWhileAgentsWork(t *testing.T) {
	t.Parallel()
	f, free := interruptedTurn(t, app.Options{KeepsAgents: true})
	go f.Run(t.Context())
	points, err := f.Chat.Past.Points(t.Context())
	if err != nil || len(points) == 0 {
		t.Fatal(points, err)
	}
	for name, act := range map[string]func() error{
		"idle":  func() error { return f.Chat.CheckIdle(t.Context()) },
		"clear": func() error { return f.Chat.Clear(t.Context()) },
		"rewind": func() error {
			_, _, err := f.Chat.Past.Rewind(t.Context(), points[0].Seq, false)
			return err
		},
		"undo": func() error {
			_, err := f.Chat.Past.PlanFiles(t.Context(), snapshot.Undo)
			return err
		},
	} {
		if err := act(); !errors.Is(err, chat.ErrBusy) || !strings.Contains(err.Error(), "1 subagent") {
			t.Errorf("%s: %v", name, err)
		}
	}
	free()
	for f.Chat.CheckIdle(t.Context()) != nil { // until the report has arrived
	}
	if err := f.Chat.Clear(t.Context()); err != nil || len(f.said()) != 2 {
		t.Errorf("%v; the model was asked %q", err, f.said())
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	agents := -1
	for _, e := range f.events {
		if e, is := e.(chat.StatusChanged); is {
			agents = e.Status.Agents
		}
	}
	if agents != 0 {
		t.Errorf("the status line has %d agents", agents)
	}
}

// A report that waits for the next message is removed together with the turn that started its
// subagent.
func TestReportsGoWithTheirTurn(t *testing.T) {
	t.Parallel()
	for name, takeAway := range map[string]func(*agentConversation) error{
		"clear": func(f *agentConversation) error { return f.Chat.Clear(t.Context()) },
		"rewind": func(f *agentConversation) error {
			points, err := f.Chat.Past.Points(t.Context())
			if err == nil {
				_, _, err = f.Chat.Past.Rewind(t.Context(), points[0].Seq, false)
			}
			return err
		},
		"nothing": func(*agentConversation) error { return nil },
	} {
		f, free := interruptedTurn(t, app.Options{KeepsAgents: true})
		serving, end := f.Serve(t.Context(), nil)
		free()
		for f.Chat.CheckIdle(serving) != nil { // until the report has arrived
		}
		if err := takeAway(f); err != nil {
			t.Fatal(err)
		}
		if err := end(); err != nil {
			t.Fatal(err)
		}
		_, _ = f.Chat.Prompt(t.Context(), atcmd.TypedMessage("and?"))
		last := f.server.Requests()[len(f.server.Requests())-1]
		if told := strings.Contains(string(last.Body), "found it"); told != (name == "nothing") {
			t.Errorf("%s: the model reads the report: %v", name, told)
		}
	}
}

// If the user answers "always", the approval prompts of other subagents that the answer covers
// close too.
func TestAlwaysSettlesTheQuestionsOfOthers(t *testing.T) {
	t.Parallel()
	const agents = 4
	var first llmtest.Turn
	for i := range agents {
		first = first.Call("task", fmt.Sprintf(`{"task":"task t%d","agent":"general"}`, i))
	}
	agent := func(r *llmtest.Request) llmtest.Turn {
		if r.Last().Role == "tool" {
			return llmtest.Say("written: " + r.Last().Content)
		}
		return llmtest.Call("write_file", fmt.Sprintf(`{"file_path":"%s.txt","content":"x"}`, taskOf(r)))
	}
	f := newAgentConversation(t, app.Options{}, inTurn(first, llmtest.Say("done")), agent)
	all, over := make(chan struct{}), make(chan struct{})
	var mu sync.Mutex
	asked := 0
	f.answer = func(chat.Approval) chat.Decision {
		mu.Lock()
		asked++
		n := asked
		mu.Unlock()
		if n < agents { // the user answers one prompt, after all of them are open
			<-over
			return chat.Decision{}
		}
		close(all)
		return chat.Decision{Allow: true, Always: true}
	}
	if _, err := f.Chat.Prompt(t.Context(), atcmd.TypedMessage("go")); err != nil {
		t.Fatal(err)
	}
	<-all
	close(over)
	for _, r := range f.server.Requests() {
		if last := r.Last(); isAgents(r) && last.Role == "tool" && !strings.HasPrefix(last.Content, "Created t") {
			t.Errorf("an agent was told %q", last.Content)
		}
	}
}

// Subagents start in the order of their calls.
func TestAgentsWorkInOrder(t *testing.T) {
	t.Parallel()
	var first llmtest.Turn
	var want []string
	for i := range 8 {
		name := fmt.Sprint("t", i)
		first, want = first.Call("task", `{"task":"task `+name+`"}`), append(want, name)
	}
	var mu sync.Mutex
	var worked []string
	agent := func(r *llmtest.Request) llmtest.Turn {
		mu.Lock()
		defer mu.Unlock()
		worked = append(worked, taskOf(r))
		return llmtest.Say("looked")
	}
	f := newAgentConversation(t, app.Options{}, inTurn(first, llmtest.Say("done")), agent, "agents.parallel=1")
	if _, err := f.Chat.Prompt(t.Context(), atcmd.TypedMessage("go")); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(worked, want) {
		t.Errorf("they worked as %q", worked)
	}
}

// If a limit of the run or a failure ends a subagent, its report states the cause to the parent
// model. The report omits advice that only a user can follow.
func TestReportsStateTheCause(t *testing.T) {
	t.Parallel()
	looks := func(r *llmtest.Request) llmtest.Turn {
		return llmtest.Call("list_directory", fmt.Sprintf(`{"path":"%s."}`, strings.Repeat("./", len(r.Messages))))
	}
	for want, c := range map[string]struct {
		agent func(*llmtest.Request) llmtest.Turn
		set   string
	}{
		"stopped: the run has reached max-turns, 3 requests": {looks, "max-turns=4"},
		"stopped: the run has reached max-cost":              {looks, "max-cost=0.000001"},
		"failed: ":                                           {func(*llmtest.Request) llmtest.Turn { return llmtest.Fail(400, `{"error":{"message":"no such thing"}}`) }, "max-turns=9"},
	} {
		f := newAgentConversation(t, app.Options{}, inTurn(llmtest.Call("task", `{"task":"look"}`), llmtest.Say("done")), c.agent, c.set)
		if _, err := f.Chat.Prompt(t.Context(), atcmd.TypedMessage("go")); err != nil {
			t.Fatal(err)
		}
		report := ""
		for _, e := range f.events {
			switch e := e.(type) {
			case chat.ToolEnded:
				report = e.Answer.ModelText()
			case chat.AgentEvent:
				if notice, is := e.Event.(chat.Notice); is {
					t.Errorf("the agent says %q", notice.Text)
				}
			}
		}
		if !strings.Contains(report, want) || strings.Contains(report, "taken back") || strings.Contains(report, "Send a message") {
			t.Errorf("%q, want %q", report, want)
		}
	}
}

// The block of a subagent shows that its endpoint fails, until the endpoint answers.
func TestRetriesOfAgentsAreShown(t *testing.T) {
	t.Parallel()
	busy := llmtest.Fail(503, `{"error":{"message":"busy now"}}`, "Retry-After", "0")
	f := newAgentConversation(t, app.Options{}, inTurn(llmtest.Call("task", `{"task":"look"}`), llmtest.Say("done")),
		inTurn(llmtest.Call("list_directory", `{"path":"."}`), busy, llmtest.Say("found it")))
	if _, err := f.Chat.Prompt(t.Context(), atcmd.TypedMessage("go")); err != nil {
		t.Fatal(err)
	}
	var latest []string
	for _, e := range f.events {
		if e, is := e.(chat.AgentChanged); is && (len(latest) == 0 || latest[len(latest)-1] != e.Latest) {
			latest = append(latest, e.Latest)
		}
	}
	said := strings.Join(latest, "|")
	if !strings.Contains(said, "listing .|retrying (attempt 2): ") || !strings.Contains(said, "busy now") || !strings.HasSuffix(said, "|listing .") {
		t.Errorf("%q", latest)
	}
}
