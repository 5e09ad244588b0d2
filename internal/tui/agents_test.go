package tui

import (
	"strings"
	"testing"
	"time"

	"agent/internal/chat"
	"agent/internal/tools"
	"agent/internal/tui/style"
)

// At 60 columns, each of four running subagents has a block of two rows, in the order of their
// calls. When a subagent ends, its block disappears and a line reports the end.
func TestAgentsBlock(t *testing.T) {
	t.Parallel()
	s := newScreenplay(t, 60, 24)
	s.model.event(chat.TurnStarted{})
	titles := []string{"find the callers of Open", "list the tests", "compare both configurations of the linters and of the tests", "count"}
	for _, i := range []int{3, 0, 2, 1} { // they start at the same time
		title := titles[i]
		state := chat.AgentState{ID: "s-" + string(rune('a'+i)), Call: i + 1, Agent: "explore", Title: title, Model: "m", Latest: "reading a.go", Started: time.Now(), Background: i == 3}
		state.Stats.Requests, state.Stats.PromptTokens = 3, 12000
		s.model.event(chat.ToolStarted{Call: i + 1, Name: "task"})
		s.model.event(chat.AgentStarted{AgentState: state})
	}
	frame := strings.Join(s.model.activity.toolsView(60, 20), "\n")
	if strings.Count(frame, "explore: ") != 4 || strings.Count(frame, "  m · reading a.go") != 4 || !strings.Contains(frame, "3 requests · 12k tokens") {
		t.Errorf("the block is\n%s", frame)
	}
	if rows := s.model.activity.toolsView(60, 20); len(rows) != 8 {
		t.Errorf("%d rows", len(rows))
	}
	if rows := s.model.activity.toolsView(60, 6); len(rows) != 6 || strings.Count(strings.Join(rows, "\n"), "  m · reading a.go") != 2 || !strings.Contains(rows[5], "explore: count") {
		t.Errorf("six rows hold %q", rows)
	}
	if rows := s.model.activity.toolsView(60, 4); len(rows) != 4 || !strings.Contains(rows[3], "explore: count") || strings.Contains(rows[1], "reading") {
		t.Errorf("four rows hold %q", rows)
	}
	if rows := s.model.activity.toolsView(60, 3); len(rows) != 3 || !strings.Contains(rows[2], "2 more agents") {
		t.Errorf("three rows hold %q", rows)
	}
	for _, e := range []chat.Event{chat.UserMessage{Text: "count them"}, chat.ReplyEnded{Text: "I look."}, chat.ToolEnded{Answer: tools.Answer{Text: "seven"}}} {
		s.model.event(chat.AgentEvent{ID: "s-d", Event: e})
	}
	live := s.model.activity.outputPages()[0]
	if rows := strings.Join(live.Layout(s.model.activity.surface.theme, 60), "\n"); !live.Grows || live.Title != "agent explore: count" || !strings.Contains(rows, "> count them\n\nI look.\n\n") || !strings.Contains(rows, "seven") {
		t.Errorf("%q: %q", live.Title, rows)
	}
	ended := chat.AgentState{ID: "s-d", Call: 4, Agent: "explore", Title: "count", Started: time.Now(), Stats: chat.Stats{Requests: 3}}
	s.events(chat.AgentEnded{AgentState: ended, Status: "done", Changed: "none"})
	s.events(chat.AgentChanged{AgentState: ended}) // this event was already queued
	if frame := strings.Join(s.model.activity.toolsView(60, 20), "\n"); strings.Count(frame, "explore: ") != 3 {
		t.Errorf("the block is\n%s", frame)
	}
	if printed := strings.Join(s.texts(), "\n"); !strings.Contains(printed, "✓ agent explore: count — done, ") || !strings.Contains(printed, ", 3 requests") {
		t.Errorf("printed is\n%s", printed)
	}
	s.events(chat.ToolEnded{Call: 4, Name: "task", Answer: tools.Answer{Text: "seven"}})
	if rows := s.model.activity.toolsView(60, 20); len(rows) != 6 || strings.Contains(strings.Join(s.texts(), "\n"), "seven") {
		t.Errorf("%q, printed is\n%s", rows, strings.Join(s.texts(), "\n"))
	}
	s.events(chat.AgentEnded{AgentState: chat.AgentState{ID: "s-a", Call: 1, Agent: "explore", Title: titles[0], Started: time.Now()}, Status: "timed out after 15m", Changed: "a.go +1 -1"})
	if printed := strings.Join(s.texts(), "\n"); !strings.Contains(printed, "✗ agent explore: find the callers of… — timed out after 15m") {
		t.Errorf("printed is\n%s", printed)
	}
}

// In a window of 24 rows, four subagents have two rows each, and another row lists the waiting
// ones. A waiting subagent that ends is reported as not started.
func TestAgentsWait(t *testing.T) {
	t.Parallel()
	s := newScreenplay(t, 60, 24)
	s.model.event(chat.TurnStarted{})
	for i := range 6 {
		state := chat.AgentState{ID: "s-" + string(rune('a'+i)), Call: i + 1, Agent: "explore", Title: "part " + string(rune('A'+i)), Model: "m", Latest: "reading a.go", Waits: true}
		s.model.event(chat.ToolStarted{Call: i + 1, Name: "task"})
		s.model.event(chat.AgentWaiting{AgentState: state})
		if state.Waits = i >= 4; !state.Waits {
			state.Started = time.Now()
			s.model.event(chat.AgentStarted{AgentState: state})
		}
	}
	s.model.layout()
	frame := strings.Join(s.model.live, "\n")
	if strings.Count(frame, "  m · reading a.go") != 4 || !strings.Contains(frame, "  2 agents to come: part E, part F\n") || strings.Contains(frame, "explore: part E") {
		t.Errorf("the block is\n%s", frame)
	}
	for room := 1; room < 12; room++ {
		if rows := s.model.activity.agentsView(60, room); len(rows) > room || room >= 9 && len(rows) != 9 {
			t.Errorf("%d rows hold %q", room, rows)
		}
	}
	s.events(chat.AgentEnded{AgentState: chat.AgentState{ID: "s-f", Call: 6, Agent: "explore", Title: "part F", Waits: true}, Status: "interrupted", Changed: "none"})
	if rows := strings.Join(s.model.activity.agentsView(60, 20), "\n"); !strings.Contains(rows, "  1 agent to come: part E") {
		t.Errorf("%s", rows)
	}
	if printed := strings.Join(s.texts(), "\n"); !strings.Contains(printed, "✗ agent explore: part F — interrupted before it started") || strings.Contains(printed, "request") {
		t.Errorf("printed is\n%s", printed)
	}
}

// If the user quits while subagents work after the turn, a single warning says that this stops
// them.
func TestQuittingStopsAgents(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"ctrl+d", "ctrl+c"} {
		s := newScreenplay(t, 80, 24)
		s.model.event(chat.AgentStarted{AgentState: chat.AgentState{ID: "s-a", Agent: "explore", Title: "look", Background: true}})
		s.press(key)
		if view := strings.Join(s.model.line.view(80, ""), "\n"); s.quit || !strings.Contains(view, " again quits and stops 1 agent") {
			t.Errorf("%s: %v, %q", key, s.quit, view)
		}
		if s.press(key); !s.quit {
			t.Errorf("%s twice does not quit", key)
		}
	}
}

// For screen readers, the changed lines are written as words.
func TestChangedLinesOfSubagentsAsWords(t *testing.T) {
	t.Parallel()
	s := newScreenplay(t, 60, 24)
	ended := chat.AgentEnded{AgentState: chat.AgentState{Agent: "general", Title: "t"}, Status: "done", Changed: "a.go +12 -3, b.go new"}
	row := s.model.activity.endRow(ended)
	if said := strings.Join(row(style.NewSpoken(), 60), ""); !strings.Contains(said, ", changed a.go 12 lines added, 3 removed, b.go new") {
		t.Errorf("%q", said)
	}
	if shown := strings.Join(row(s.model.surface.theme, 120), ""); !strings.Contains(shown, "a.go +12 −3, b.go new") {
		t.Errorf("%q", shown)
	}
}

// The status of a turn is waiting for the model, and waiting for subagents after the model's reply
// has ended.
func TestWaitsForAgents(t *testing.T) {
	t.Parallel()
	s := newScreenplay(t, 60, 24)
	s.events(chat.TurnStarted{}, chat.StatusChanged{Status: chat.Status{Model: "m", Agents: 2}}, chat.RequestStarted{})
	if doing := s.model.activity.doing(); doing != "waiting for m" {
		t.Error(doing)
	}
	s.events(chat.ReplyEnded{Text: "they work"})
	if doing := s.model.activity.doing(); doing != "waiting for 2 agents" {
		t.Error(doing)
	}
}

// The time of a turn excludes the time while questions wait, also if several subagents ask at the
// same time.
func TestTimeOfQuestionsBesideEachOther(t *testing.T) {
	t.Parallel()
	u, at := turn{started: time.Unix(0, 0)}, func(s int64) time.Time { return time.Unix(s, 0) }
	u.asks(at(1))
	u.asks(at(2))
	u.answered(at(5))
	u.answered(at(9))
	if took := u.workTime(at(10)); took != 2*time.Second {
		t.Error(took)
	}
}

// The time of a subagent excludes the time while questions wait, like the time of the turn.
func TestTimeOfAnAgentLeavesOutQuestions(t *testing.T) {
	t.Parallel()
	s := newScreenplay(t, 80, 24)
	s.events(chat.TurnStarted{})
	began := chat.AgentState{ID: "s-a", Call: 1, Agent: "explore", Title: "look", Started: s.model.surface.now()}
	s.events(chat.AgentStarted{AgentState: began})
	s.wait(2 * time.Second)
	s.events(askedForCommand("go test ./..."))
	s.wait(time.Minute)
	s.events(chat.ApprovalSettled{ID: 7})
	s.events(chat.AgentEnded{AgentState: began, Status: "done", Changed: "none"})
	if all := s.all(); !strings.Contains(all, "done, 2s,") {
		t.Errorf("printed:\n%s", all)
	}
}
