package subagents

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"agent/internal/chat"
	"agent/internal/extend/setup/agents"
	"agent/internal/tools"
	"agent/internal/toolspec"
)

// starting returns a team that runs two subagents at the same time, and a function that starts a
// task.
func starting(earlier ...RecordedAgent) (*Team, func(tools.Task) (*job, error)) {
	owner := &chat.SubagentHost{}
	team := New(Config{
		Bounds: func(agents.Agent) Limits { return Limits{Parallel: 2, PerTurn: 9} }, Parent: owner, Now: time.Now,
	}, earlier)
	return team, func(task tools.Task) (*job, error) {
		return team.begin(agents.Agent{Name: "explore"}, tools.AgentCall{Task: task})
	}
}

// The number of working subagents is limited. The others start in the order of their calls, even if
// a waiting one is canceled.
func TestEnter(t *testing.T) {
	t.Parallel()
	team, begin := starting()
	var jobs []*job
	for range 6 {
		j, err := begin(tools.Task{})
		if err != nil {
			t.Fatal(err)
		}
		jobs = append(jobs, j)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := team.enter(gone, jobs[3].turn); err == nil {
		t.Fatal("one that is cancelled works")
	}
	for i, j := range []*job{jobs[0], jobs[1], jobs[2], jobs[4], jobs[5]} {
		if i >= 2 {
			select {
			case <-j.turn:
				t.Fatalf("number %d works before another has left", i)
			default:
			}
			team.leave()
		}
		if err := team.enter(t.Context(), j.turn); err != nil {
			t.Fatal(err)
		}
	}
	team.leave()
	team.leave()
	if team.running != 0 {
		t.Errorf("%d work", team.running)
	}
}

// If two calls of a reply resume the same subagent, only the first succeeds.
func TestContinuedOnce(t *testing.T) {
	t.Parallel()
	team, begin := starting(RecordedAgent{State: chat.AgentState{ID: "s-ended"}, Status: "done"})
	first, err := begin(tools.Task{Continue: "s-ended"})
	if err != nil || first.ID != "s-ended" {
		t.Fatalf("%+v, %v", first, err)
	}
	if _, err := begin(tools.Task{Continue: "s-ended"}); err == nil || !strings.Contains(err.Error(), "agent s-ended is still running") {
		t.Errorf("the second: %v", err)
	}
	if len(team.List()) != 1 {
		t.Errorf("%+v", team.List())
	}
}

// Calls that cannot start return the reason and the available names, and start nothing.
func TestPlan(t *testing.T) {
	t.Parallel()
	set := agents.Set{Agents: []agents.Agent{{Name: "explore"}, {Name: "general"}}}
	team := New(Config{Named: set.ByName, Bounds: func(agents.Agent) Limits { return Limits{Model: "m", Requests: 40, Tokens: 400_000} }}, []RecordedAgent{
		{State: chat.AgentState{ID: "s-ended"}, Agent: set.Agents[1], Status: "done"},
	})
	team.jobs = append(team.jobs, &job{AgentState: chat.AgentState{ID: "s-works", Waits: true}}, &job{AgentState: chat.AgentState{ID: "s-never", Waits: true}, status: "interrupted"})
	for task, want := range map[tools.Task]string{
		{Title: "look"}:                          "give agent explore a task: look (m, at most 40 requests, 400k tokens",
		{Agent: " General "}:                     "give agent general a task",
		{Agent: "explorer"}:                      `no subagent "explorer"; did you mean explore? (available: explore, general)`,
		{Continue: "s-ended", Agent: "explorer"}: "give agent general a task",
		{Continue: "s-works"}:                    "agent s-works is still running; its report arrives when it ends; these subagents can continue: s-ended",
		{Continue: "s-never"}:                    "agent s-never ended before it started; start the task again; these subagents can continue: s-ended",
		{Continue: "s-other"}:                    `unknown subagent "s-other"; these subagents can continue: s-ended`,
	} {
		preview, _, err := team.Plan(task)
		got := preview.Title
		if err != nil {
			got = err.Error()
		}
		if !strings.HasPrefix(got, want) {
			t.Errorf("%+v: %q, want %q", task, got, want)
		}
	}
	if len(team.jobs) != 3 {
		t.Error("an agent was started")
	}
}

// The text of a failure is on one line, so that none of its lines looks like a list of files.
func TestAFailureNamesNoFiles(t *testing.T) {
	t.Parallel()
	text := Heading("general", "s-a", "failed: boom\nchanged: fake.go new\nmore")
	if files, _ := toolspec.ParseReport(text + "\n" + toolspec.ReportFiles + "real.go new"); !slices.Equal(files, []string{"real.go"}) {
		t.Errorf("%q names %q", text, files)
	}
}

// A report names the changed files, keeps its beginning and its end within the limit, and is never
// empty.
func TestReport(t *testing.T) {
	t.Parallel()
	team := New(Config{
		Keep:   func(string, string) (string, error) { return "/tmp/report", nil },
		Tokens: func(text string) int { return len(text) / 4 },
	}, nil)
	j := &job{team: team, AgentState: chat.AgentState{ID: "s-a", Agent: "general"}, bounds: Limits{ResultTokens: 100}}
	rel := func(abs string) string { return strings.TrimPrefix(abs, "/w/") }
	j.changed.add(tools.Answer{Diff: "--- a/x.go\n+++ a/x.go\n@@ -1 +1,2 @@\n-a\n+b\n+c\n--- /dev/null\n+++ new.go\n@@ -0,0 +1 @@\n+n\n"}, rel)
	j.changed.add(tools.Answer{Changed: []string{"/w/made.txt", "/w/gone, too"}}, rel)
	j.changed.add(tools.Answer{Changed: []string{"/w/a\nb"}, Diff: "--- \"a\\nb\"\n+++ \"a\\nb\"\n@@ -1 +1 @@\n-a\n+b\n"}, rel)
	for _, c := range []struct{ said, want string }{
		{"found it", "agent general, s-a: done\nchanged: a/x.go +2 -1, new.go new, made.txt, \"gone, too\", \"a\\nb\" +1 -1\nfound it"},
		{"", "agent general, s-a: done\nchanged: a/x.go +2 -1, new.go new, made.txt, \"gone, too\", \"a\\nb\" +1 -1\nIt wrote no report. Its latest calls:\n- reading a"},
		{"begin " + strings.Repeat("x", 1000) + " end", "agent general, s-a: done\nchanged: a/x.go +2 -1, new.go new, made.txt, \"gone, too\", \"a\\nb\" +1 -1\nbegin "},
	} {
		j.said, j.latest = c.said, []string{"reading a"}
		got := j.report("done", nil).Text
		if !strings.HasPrefix(got, c.want) {
			t.Errorf("%q, want %q", got, c.want)
		}
		if len(c.said) > 400 && (len(got) > 600 || !strings.HasSuffix(got, " end") || !strings.Contains(got, "full report: /tmp/report")) {
			t.Errorf("a long report became %q", got)
		}
	}
	for i := range mostChanged + 2 {
		j.changed.add(tools.Answer{Changed: []string{fmt.Sprint("f", i)}}, rel)
	}
	if got := j.changed.String(); !strings.HasSuffix(got, ", 7 more files") {
		t.Error(got)
	}
}

// The list of agents fits its share of the context window. Descriptions are shortened before names
// are omitted, and the list reports both.
func TestList(t *testing.T) {
	t.Parallel()
	count := func(text string) int { return (len(text) + 3) / 4 }
	for _, c := range []struct {
		agents, window     int
		shortened, leftOut bool
	}{{3, 100_000, false, false}, {40, 16_384, true, false}, {40, 100_000, true, false}, {40, 1_000_000, true, false}, {200, 16_384, true, true}, {600, 1_000_000, true, true}} {
		var set agents.Set
		for i := range c.agents {
			set.Agents = append(set.Agents, agents.Agent{Name: fmt.Sprintf("agent-%04d", i), Description: strings.Repeat("does something ", 20)})
		}
		list := NewCatalogue(set, c.window, count)
		named := strings.Count(list.Text, "- agent-")
		if most := min(max(c.window/100, 400), 2000); count(list.Text) > most || named+len(list.LeftOut) != c.agents ||
			(len(list.Shortened) > 0) != c.shortened || (len(list.LeftOut) > 0) != c.leftOut {
			t.Errorf("%+v: %d tokens of %d, %d named, %d left out, %d shortened", c, count(list.Text), most, named, len(list.LeftOut), len(list.Shortened))
		}
		if c.leftOut && (count(list.Text) < min(max(c.window/100, 400), 2000)*3/4 || !strings.HasSuffix(list.Text, fmt.Sprintf("\n%d more agents\n", len(list.LeftOut)))) {
			t.Errorf("%+v: %d tokens: %q", c, count(list.Text), list.Text[len(list.Text)-100:])
		}
	}
}

// After a team is closed, no subagent waits for it. The start and the end of each subagent are
// recorded.
func TestClosed(t *testing.T) {
	t.Parallel()
	over := errors.New("no conversation is made")
	var recorded []string
	set := agents.Set{Agents: []agents.Agent{{Name: "explore"}}}
	owner := chat.NewSubagentHost(chat.NewHandle(), nil)
	team := New(Config{
		Named: set.ByName, Bounds: func(agents.Agent) Limits { return Limits{Parallel: 1, PerTurn: 1} }, Parent: owner,
		Make:   func(context.Context, Spec) (Child, error) { return Child{}, over },
		Record: func(_ chat.AgentState, status, _ string) { recorded = append(recorded, status) },
	}, nil)
	team.Now = time.Now
	if err := team.Close(); err != nil {
		t.Fatal(err)
	}
	_, begin, err := team.Plan(tools.Task{Task: "x"})
	if err != nil {
		t.Fatal(err)
	}
	if answer := begin(tools.AgentCall{})(t.Context()); !strings.Contains(answer.Error, "failed: "+over.Error()) && !strings.Contains(answer.Error, "interrupted") {
		t.Errorf("%+v", answer)
	}
	if len(recorded) != 2 || recorded[0] != "" || recorded[1] != "failed: "+over.Error() && recorded[1] != "interrupted" {
		t.Errorf("recorded are %q", recorded)
	}
	if answer := begin(tools.AgentCall{})(t.Context()); !strings.Contains(answer.Error, "allows 1 agent in a turn, and all were started") {
		t.Errorf("%+v", answer)
	}
}
