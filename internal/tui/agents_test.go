package tui

import (
	"strings"
	"testing"
	"time"

	"agent/internal/chat"
	"agent/internal/tools"
)

// Four agents at once have a block of two rows each at 60 columns; a block goes when its agent
// ends, and the end of one in the background gets a line.
func TestAgentsBlock(t *testing.T) {
	t.Parallel()
	s := newScreenplay(t, 60, 24)
	s.model.event(chat.TurnStarted{})
	for i, title := range []string{"find the callers of Open", "list the tests", "compare both configurations of the linters and of the tests", "count"} {
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
	s.model.event(chat.AgentEnded{AgentState: chat.AgentState{ID: "s-d", Agent: "explore", Title: "count", Background: true}, Status: "done", Changed: "none"})
	if frame := strings.Join(s.model.activity.toolsView(60, 20), "\n"); strings.Count(frame, "explore: ") != 3 {
		t.Errorf("the block is\n%s", frame)
	}
}
