package tui

import (
	"strings"
	"testing"
	"time"

	"agent/internal/chat"
	"agent/internal/tools"
)

// Four agents at once have a block of two rows each at 60 columns, in the order of their calls; a
// block goes when its agent ends, and the end gets a line.
func TestAgentsBlock(t *testing.T) {
	t.Parallel()
	s := newScreenplay(t, 60, 24)
	s.model.event(chat.TurnStarted{})
	titles := []string{"find the callers of Open", "list the tests", "compare both configurations of the linters and of the tests", "count"}
	for _, i := range []int{3, 0, 2, 1} { // they begin beside each other
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
	s.events(chat.AgentChanged{AgentState: ended}) // which was on its way
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

// A turn says that it waits for agents once the model has ended its reply, and until then for the
// model.
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

// The time of a turn leaves out the time in which questions wait, also where agents ask beside each
// other.
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
