package app

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"agent/internal/atcmd"
	"agent/internal/base/humanize"
	"agent/internal/base/table"
	"agent/internal/chat"
	"agent/internal/extend/setup/agents"
	"agent/internal/history"
	"agent/internal/slash"
)

// maxListed limits a description in the list of agents, in bytes.
const maxListed = 100

// AgentLines describes the subagents that can be given tasks, with the parts of their files that have no
// effect, and the subagents of the session.
func (c *Subagents) AgentLines() []string {
	var rows [][]string
	read := c.catalogue()
	for _, a := range c.set.Agents {
		from := string(a.Origin)
		if a.File != "" {
			from = c.at.workspace.Rel(a.File)
		}
		rows = append(rows, []string{a.Name, humanize.Line(a.Description, maxListed) + " (" + humanize.Line(from, 0) + ")"})
		switch {
		case slices.Contains(read.LeftOut, a.Name):
			rows = append(rows, []string{"", "not offered to the model, because its list is full. To use it, type @agent-" + a.Name})
		case slices.Contains(read.Shortened, a.Name):
			rows = append(rows, []string{"", "the model gets a shortened description"})
		}
		for _, note := range c.notes(a) {
			rows = append(rows, []string{"", humanize.Line(note, 0)})
		}
	}
	lines := append([]string{"Agents:"}, table.Lines("ll", rows)...)
	for _, left := range c.set.Skipped {
		lines = append(lines, "not offered: "+humanize.Line(left, 0))
	}
	rows = nil
	for _, a := range c.team.List() {
		status := a.Status
		if status == "" {
			status = "works"
		}
		rows = append(rows, []string{a.ID, a.Agent + ": " + humanize.Line(a.Title, 0) + " — " + humanize.Line(status, 0) + ", " + a.AgentState.String()})
	}
	if rows != nil {
		lines = append(append(lines, "", "In this session:"), table.Lines("ll", rows)...)
	}
	return lines
}

// notes describes the file of a subagent: its tools, its model, and the fields that have no effect. It
// includes a line if the subagent waits for consent.
func (c *Subagents) notes(a agents.Agent) (notes []string) {
	if a.Origin == agents.OriginBuiltIn {
		return nil
	}
	if !c.allowed(a) {
		notes = append(notes, "waits for your approval. Run: agent trust")
	}
	if a.Tools != nil {
		notes = append(notes, "tools: "+strings.Join(a.Tools, ", "))
	}
	if a.Model != "" {
		notes = append(notes, "model: "+a.Model)
	}
	if len(a.Unused) > 0 {
		notes = append(notes, "not used here: "+strings.Join(a.Unused, ", "))
	}
	return notes
}

// RunningAgents returns the ids and the tasks of the running subagents.
func (c *Subagents) RunningAgents() (ids, tasks []string) {
	for _, a := range c.team.List() {
		if a.Status == "" {
			ids, tasks = append(ids, a.ID), append(tasks, a.Title)
		}
	}
	return ids, tasks
}

// AgentSavings returns the tokens that pruning saved or lost in the conversations of subagents. It omits
// conversations in which pruning did neither.
func (c *Subagents) AgentSavings() (savings []slash.AgentSaving) {
	for _, a := range c.team.List() {
		if a.Stats.Saving.Sign() != 0 {
			savings = append(savings, slash.AgentSaving{ID: a.ID, Agent: a.Agent, Saving: a.Stats.Saving})
		}
	}
	return savings
}

// StopAgents stops the running subagent with an id, or all running subagents if id is "", and returns their
// number.
func (c *Subagents) StopAgents(id string) (int, error) {
	if id == "" {
		return c.team.StopAll(), nil
	}
	return 1, c.team.Stop(id)
}

// agentMention is the prefix of a message that names a subagent.
const agentMention = "@agent-"

// expand turns a message into blocks. If the message begins with @agent-NAME, it adds a block that asks the
// model to give the task to that subagent.
func (c *Subagents) expand(ctx context.Context, message atcmd.Message, run chat.RunEmbedded) (atcmd.Expansion, error) {
	name, rest := "", ""
	if len(message) > 0 {
		if text, is := strings.CutPrefix(message[0].Text, agentMention); is && message[0].Source == "" {
			end := len(text)
			if i := strings.IndexFunc(text, unicode.IsSpace); i >= 0 {
				end = i
			}
			name, rest = text[:end], strings.TrimSpace(text[end:])
		}
	}
	if name == "" {
		return c.texts.Expand(ctx, message, run, c.reviewer())
	}
	if _, err := c.named(name); err != nil {
		return atcmd.Expansion{}, fmt.Errorf("@agent-%s: %w", name, err)
	}
	plain := slices.Clone(message)
	plain[0].Text = rest
	said, err := c.texts.Expand(ctx, plain, run, c.reviewer())
	said.Blocks = append(said.Blocks, &history.Text{Text: "[Give this to the agent " + name + " with the tool task.]", Source: history.SourceExtension})
	return said, err
}
