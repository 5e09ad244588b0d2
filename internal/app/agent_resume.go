package app

import (
	"cmp"
	"fmt"
	"strings"

	"agent/internal/app/team"
	"agent/internal/chat"
	"agent/internal/history"
	"agent/internal/session"
	"agent/internal/settings"
	"agent/internal/text/lines"
	"agent/internal/traits"
)

// agentPast gives a session that is taken up the reports of its agents that had not come when the
// program ended.
type agentPast struct {
	agents []session.Agent
	// log is the record of the session, nil if it is not recorded; then it has no agents.
	log      *session.Log
	settings *settings.Settings
	// called and answered have the ids of the calls in the context, which may repeat.
	called, answered map[string]bool
	// begun counts the answers that an agent goes on in the background, and came the messages with
	// its report, by the words with which they begin.
	begun, came map[string]int
}

// newAgentPast looks for the calls and the reports of agents in the context of a session.
func newAgentPast(recorded session.State, log *session.Log, s *settings.Settings) agentPast {
	p := agentPast{recorded.Agents, log, s, map[string]bool{}, map[string]bool{}, map[string]int{}, map[string]int{}}
	if len(p.agents) == 0 {
		return p
	}
	for _, entry := range recorded.Entries {
		for _, block := range entry.Blocks {
			switch block := block.(type) {
			case *history.ToolCall:
				p.called[block.ID] = true
			case *history.ToolResponse:
				p.answered[block.CallID] = true
				if before, _, is := strings.Cut(beginning(block.Result.Text()), ";"); is {
					p.begun[before+";"]++
				}
			case *history.Text:
				if before, _, is := strings.Cut(beginning(block.Text), " ended"); is && block.Source == history.Printed {
					p.came[before+" ended"]++
				}
			}
		}
	}
	return p
}

// beginning returns as much of a text as names an agent at most.
func beginning(text string) string { return text[:min(len(text), 128)] }

// answers returns the reports of the agents whose calls the end of the program left open, by the ids
// of the calls.
func (p agentPast) answers() map[string]string {
	answers := map[string]string{}
	for _, a := range p.agents {
		if p.called[a.Call] && (a.Status == "" || !p.answered[a.Call]) {
			answers[a.Call] = p.report(a)
		}
	}
	return answers
}

// owe gives the conversation the reports of agents in the background. The model reads them with the
// next message.
func (p agentPast) owe(to *chat.Agents) {
	for _, a := range p.agents {
		ended := team.Ended(a.Agent, a.ID)
		if p.begun[team.Started(a.ID)] > p.came[ended] {
			to.Owe(chat.AgentReport{Title: ended + ": " + a.Title, Text: p.report(a)})
		}
	}
}

// report returns the report of an agent from its record. An agent without an end was interrupted.
func (p agentPast) report(a session.Agent) string {
	said, number, wrote := "", uint64(0), map[string]bool{}
	var changed []string
	for record, entry := range entriesOf(session.AgentPath(p.log.Path(), a.ID)) {
		if text := strings.TrimSpace(entry.OwnText()); entry.Speaker == history.AI && text != "" {
			said, number = text, record.Seq
		}
		deed, _ := history.MetaOf[history.Deed](entry, history.MetaDeed)
		for _, file := range deed.Wrote {
			if !wrote[file.Path] {
				wrote[file.Path], changed = true, append(changed, traits.ReportedFile(file.Path, ""))
			}
		}
	}
	heading := team.Heading(a.Agent, a.ID, cmp.Or(a.Status, "interrupted, because the program ended; continue goes on with it"))
	// A token has a byte at least, so as many bytes as tokens may enter the context fit into it.
	if most := settings.AgentsResultMaxTokens.Of(p.settings); len(said) > most {
		said = fmt.Sprintf("%s\n… all of it: %s", lines.WholeRunes(said[:most]), recallOf(a.ID, number))
	}
	return heading + "\n" + traits.ReportFiles + cmp.Or(a.Changed, traits.ReportedFiles(changed, "")) + "\n" + cmp.Or(said, "It wrote no report.")
}
