package tui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"agent/internal/base/humanize"
	"agent/internal/base/lazyregexp"
	"agent/internal/chat"
	"agent/internal/tui/pager"
	"agent/internal/tui/style"
	"agent/internal/tui/transcript"
)

// agentStarted shows a subagent that starts to work.
func (a *activity) agentStarted(state chat.AgentState) {
	a.removeAgent(state.ID)
	a.addAgent(state)
	if a.waitedAt == nil {
		a.waitedAt = map[string]time.Duration{}
	}
	a.waitedAt[state.ID] = a.turn.waited(a.surface.now())
	if a.surface.plain {
		a.surface.note(dim, "·", "agent "+state.Agent+" begins: "+state.Title)
	}
}

// addAgent adds a subagent, in the order of the calls that started them.
func (a *activity) addAgent(state chat.AgentState) {
	at := slices.IndexFunc(a.agents, func(other chat.AgentState) bool { return other.Call > state.Call })
	if at < 0 {
		at = len(a.agents)
	}
	a.agents = slices.Insert(a.agents, at, state)
}

func (a *activity) removeAgent(id string) {
	a.agents = slices.DeleteFunc(a.agents, func(other chat.AgentState) bool { return other.ID == id })
}

// agentChanged stores the new state of a running subagent. It ignores subagents that have ended, whose
// states may still arrive.
func (a *activity) agentChanged(state chat.AgentState) {
	if i := slices.IndexFunc(a.agents, func(other chat.AgentState) bool { return other.ID == state.ID }); i >= 0 {
		a.agents[i] = state
	}
}

func (a *activity) addAgentEvent(e chat.AgentEvent) {
	text := ""
	switch e := e.Event.(type) {
	case chat.UserMessage:
		text = "> " + e.Text
	case chat.ReplyEnded:
		text = e.Text
	case chat.Notice:
		text = "! " + e.Text
	case chat.Retry:
		text = "↻ " + e.Reason
	case chat.ToolEnded:
		text = describe(e.Label).PastTense() + "\n" + cmp.Or(e.Answer.Diff, e.Answer.Text, e.Answer.Error)
	}
	if text = strings.TrimSpace(text); text == "" {
		return
	}
	if a.heard == nil {
		a.heard = map[string][]byte{}
	}
	a.heard[e.ID] = humanize.KeepEnd(append(a.heard[e.ID], text+"\n\n"...), saidBytes)
}

func (a *activity) agentPage(s chat.AgentState, grows bool) pager.Page {
	return pager.Page{Key: fmt.Sprint("agent ", s.ID, " ", s.Call), Title: style.Reveal("agent " + s.Agent + ": " + s.Title).Text, Grows: grows, Layout: proseLay(string(a.heard[s.ID]))}
}

// agentEnded replaces the block of a subagent by a line about its end, and keeps its conversation. The line
// also marks the end of the call. The answer of the call comes later, after parallel calls have ended.
func (a *activity) agentEnded(e chat.AgentEnded) {
	a.removeAgent(e.ID)
	if len(a.heard[e.ID]) > 0 {
		a.outputs.add(output{Page: a.agentPage(e.AgentState, false)})
	}
	delete(a.heard, e.ID)
	defer delete(a.waitedAt, e.ID)
	for i := range a.tools {
		if a.tools[i].call == e.Call {
			a.tools[i].told = true
		}
	}
	a.surface.print(transcript.KindLine, a.endRow(e))
	if e.Background && !a.turn.running {
		a.surface.note(dim, "·", "the model gets the report of this subagent with your next message")
	}
}

// lineCounts matches the counts of changed lines in the text for the model.
var lineCounts = lazyregexp.New(`\+(\d+) -(\d+)`)

// endRow lays out a line about a subagent that ended.
func (a *activity) endRow(e chat.AgentEnded) transcript.Layout {
	said := e.Status
	if e.Changed != "none" {
		said += ", changed " + lineCounts.ReplaceAllString(e.Changed, "+$1 −$2")
	}
	if e.Waits {
		said += " before it started"
	} else {
		now := a.surface.now()
		// The time of open questions does not count, like in the time of the turn.
		waited := max(0, a.turn.waited(now)-a.waitedAt[e.ID])
		said += ", " + humanize.Duration(now.Sub(e.Started)-waited) + ", " + e.AgentState.String()
	}
	what := style.Reveal("agent " + e.Agent + ": " + e.Title).Text
	said = style.Reveal(humanize.Line(said, 0)).Text
	return func(t *style.Theme, width int) []string {
		sign := t.Sign(t.OK, "✓")
		if e.Status != "done" {
			sign = t.Sign(t.Bad, "✗")
		}
		return []string{sign + headed(t, what, said, width-2)}
	}
}

// hasAgent reports whether the row of a call is replaced by a subagent's block, or by the line about its
// end.
func (a *activity) hasAgent(tool runningTool) bool {
	return tool.told || slices.ContainsFunc(a.agents, func(s chat.AgentState) bool { return s.Call == tool.call })
}

// agentsView shows each running subagent in two rows: its task and figures, and its model and latest call.
// A last row names the waiting subagents. In a low window it shows only the second rows of the first
// subagents, and the number of omitted subagents.
func (a *activity) agentsView(width, room int) (lines []string) {
	var working []chat.AgentState
	var waiting []string
	for _, s := range a.agents {
		if s.Waits {
			waiting = append(waiting, s.Title)
		} else {
			working = append(working, s)
		}
	}
	if len(waiting) > 0 && room > 1 {
		row := "  " + humanize.Count(len(waiting), "agent") + " to come: " + style.Reveal(strings.Join(waiting, ", ")).Text
		defer func() { lines = append(lines, a.surface.theme.Dim.Text(style.Truncate(row, width))) }()
		room--
	}
	more := room - len(working) // second rows of the subagents
	for i, s := range working {
		if left := len(working) - i; left > 1 && len(lines)+1 >= room {
			return append(lines, a.surface.theme.Dim.Text("  "+humanize.Count(left, "more agent")))
		}
		time := " " + humanize.Elapsed(a.surface.now().Sub(s.Started))
		figures := " · " + s.String() + time
		if style.Width(figures) > width*3/5 {
			figures = time
		}
		head := style.Reveal(s.Agent + ": " + s.Title).Text
		lines = append(lines, a.surface.spinner()+" "+style.Truncate(head, max(10, width-2-style.Width(figures)))+a.surface.theme.Dim.Text(figures))
		if i < more {
			lines = append(lines, a.surface.theme.Dim.Text(style.Truncate("  "+style.Reveal(s.Model+" · "+cmp.Or(s.Latest, "thinking")).Text, width)))
		}
	}
	return lines
}
