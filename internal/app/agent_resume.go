package app

import (
	"cmp"
	"fmt"
	"strings"

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
	session.State
	// log is the record of the session, nil if it is not recorded; then it has no agents.
	log      *session.Log
	settings *settings.Settings
}

// answers returns the reports of the agents whose calls the end of the program left open, by the ids
// of the calls.
func (p agentPast) answers() map[string]string {
	answers := map[string]string{}
	for _, a := range p.Agents {
		if called, answered := p.has(a.Call); called && (a.Status == "" || !answered) {
			answers[a.Call] = p.report(a)
		}
	}
	return answers
}

// has reports whether the context has a call of this id, and an answer to it. Ids may repeat.
func (p agentPast) has(callID string) (called, answered bool) {
	for _, entry := range p.Entries {
		for _, block := range entry.Blocks {
			switch block := block.(type) {
			case *history.ToolCall:
				called = called || block.ID == callID
			case *history.ToolResponse:
				answered = answered || block.CallID == callID
			}
		}
	}
	return called, answered
}

// owe gives the conversation the reports of agents in the background. The model reads them with the
// next message.
func (p agentPast) owe(to *chat.Agents) {
	for _, a := range p.Agents {
		begun, came := 0, 0
		for _, entry := range p.Entries {
			for _, block := range entry.Blocks {
				switch block := block.(type) {
				case *history.ToolResponse:
					if strings.HasPrefix(block.Result.Text(), "started "+a.ID+";") {
						begun++
					}
				case *history.Text:
					if block.Source == history.Printed && strings.HasPrefix(block.Text, traits.ReportTitle+a.Agent+" "+a.ID+" ended") {
						came++
					}
				}
			}
		}
		if begun > came {
			to.Owe(chat.AgentReport{Title: traits.ReportTitle + a.Agent + " " + a.ID + " ended: " + a.Title, Text: p.report(a)})
		}
	}
}

// report returns the report of an agent from its record, as much of it as may enter the
// context. An agent without an end was interrupted.
func (p agentPast) report(a session.Agent) string {
	said, number, wrote := "", uint64(0), map[string]bool{}
	var changed []string
	for record, entry := range entriesOf(session.AgentPath(p.log.Path(), a.ID)) {
		if text := strings.TrimSpace(entry.Said()); entry.Speaker == history.AI && text != "" {
			said, number = text, record.Seq
		}
		deed, _ := history.MetaOf[history.Deed](entry, history.MetaDeed)
		for _, file := range deed.Wrote {
			if !wrote[file.Path] {
				wrote[file.Path], changed = true, append(changed, traits.ReportedFile(file.Path, ""))
			}
		}
	}
	report := fmt.Sprintf("agent %s, %s: %s\n%s%s\n", a.Agent, a.ID, cmp.Or(a.Status, "interrupted, because the program ended; continue goes on with it"),
		traits.ReportFiles, cmp.Or(a.Changed, traits.ReportedFiles(changed, "")))
	if most := settings.AgentsResultMaxTokens.Of(p.settings); len(said) > most {
		said = fmt.Sprintf("%s\n… all of it: recall, session %q, number %d", lines.WholeRunes(said[:most]), a.ID, number)
	}
	return report + cmp.Or(said, "It wrote no report.")
}
