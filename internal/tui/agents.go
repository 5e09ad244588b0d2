package tui

import (
	"cmp"
	"slices"
	"strings"

	"agent/internal/chat"
	"agent/internal/tui/pager"
	"agent/internal/tui/style"
	"agent/internal/words"
)

// agentChanged takes the state of an agent that works.
func (a *activity) agentChanged(state chat.AgentState) {
	if i := slices.IndexFunc(a.agents, func(other chat.AgentState) bool { return other.ID == state.ID }); i >= 0 {
		a.agents[i] = state
		return
	}
	a.agents = append(a.agents, state)
	if a.surface.plain {
		a.surface.note(dim, "·", "agent "+state.Agent+" begins: "+state.Title)
	}
}

// hear adds an event to what was said in the conversation of an agent.
func (a *activity) hear(e chat.AgentEvent) {
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
		text = describe(e.Label).Ended() + "\n" + cmp.Or(e.Answer.Diff, e.Answer.Text, e.Answer.Error)
	}
	if text = strings.TrimSpace(text); text == "" {
		return
	}
	if a.heard == nil {
		a.heard = map[string][]byte{}
	}
	a.heard[e.ID] = words.KeepEnd(append(a.heard[e.ID], text+"\n\n"...), saidBytes)
}

// agentPage returns the page with the conversation of an agent.
func (a *activity) agentPage(s chat.AgentState, grows bool) pager.Page {
	return pager.Page{Title: style.Reveal("agent " + s.Agent + ": " + s.Title).Text, Grows: grows, Layout: plainLay(string(a.heard[s.ID]))}
}

// agentEnded removes an agent that ended, and keeps its conversation. The end of an agent in the background gets a line of its
// own; that of another is the end of its call.
func (a *activity) agentEnded(e chat.AgentEnded) {
	a.agents = slices.DeleteFunc(a.agents, func(other chat.AgentState) bool { return other.ID == e.ID })
	if len(a.heard[e.ID]) > 0 {
		a.outputs.add(output{Page: a.agentPage(e.AgentState, false)})
	}
	delete(a.heard, e.ID)
	if e.Background || a.surface.plain {
		a.surface.note(dim, "·", "agent "+e.Agent+" "+e.ID+" ended: "+e.Title+" ("+e.Status+", "+e.AgentState.String()+"; changed: "+e.Changed+")")
	}
}

// hasAgent reports whether an agent works for a call, whose row the agent's block replaces.
func (a *activity) hasAgent(call int) bool {
	return slices.ContainsFunc(a.agents, func(s chat.AgentState) bool { return s.Call == call })
}

// agentsView shows each agent that works in two rows: its task and figures, and its model and latest call.
// In a low window it shows the second rows of the first agents alone, and counts the agents for which
// there is no row.
func (a *activity) agentsView(width, room int) (lines []string) {
	more := room - len(a.agents) // second rows
	for i, s := range a.agents {
		if left := len(a.agents) - i; left > 1 && len(lines)+1 >= room {
			return append(lines, a.surface.theme.Dim.Text("  "+words.Count(left, "more agent")))
		}
		time := " " + words.Elapsed(a.surface.now().Sub(s.Started))
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
