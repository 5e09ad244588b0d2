package chat

import (
	"context"
	"slices"

	"agent/internal/gate"
	"agent/internal/history"
)

// paces gets the pace of a subagent and adds its text to the history. last is Pace.Last. In a
// conversation of the user it does nothing.
func (c *Chat) paces() (last bool, err error) {
	if c.config.AsSubagent == nil {
		return false, nil
	}
	pace := c.config.AsSubagent.Pace(c.figures())
	if pace.Say != "" {
		err = c.add(history.New(history.Human, &history.Text{Text: pace.Say, Source: history.SourceExtension}))
	}
	return pace.Last, err
}

// deliverReports adds the reports received so far to the history as one message. It reports whether
// there were any.
func (c *Chat) deliverReports() (bool, error) {
	if len(c.Agents.reports) == 0 {
		return false, nil
	}
	var blocks []history.Block
	var ids []string
	for _, r := range c.Agents.reports {
		blocks, ids = append(blocks, history.NewData(history.SourceCommand, r.Title, r.Text)), append(ids, r.ID)
	}
	denied := slices.ContainsFunc(c.Agents.reports, func(r AgentReport) bool { return r.Denied })
	c.Agents.reports = nil
	err := c.add(history.New(history.Human, blocks...).WithMeta(history.MetaReports, ids))
	if err == nil && denied {
		err = gate.ErrDenied
	}
	return true, err
}

// awaitAgents waits while agents run in the background, until a report or a message of the user
// arrives. It reports whether the turn continues.
func (c *Chat) awaitAgents(ctx context.Context) bool {
	for len(c.Agents.reports) == 0 && len(c.waiting.queue) == 0 && c.config.runningAgents() > 0 {
		select {
		case act := <-c.inbox.acts:
			act()
		case <-ctx.Done():
			return false
		}
	}
	return len(c.Agents.reports) > 0 || len(c.waiting.queue) > 0
}

func (c *Config) runningAgents() int {
	if c.Background == nil {
		return 0
	}
	return c.Background.RunningCount()
}

// endAgents ends the agents that still run when a turn ends, and waits for their reports. It does
// nothing if agents may outlive a turn.
func (c *Config) endAgents(in inbox) {
	if c.KeepsAgents || c.runningAgents() == 0 {
		return
	}
	c.Background.StopAll()
	for c.runningAgents() > 0 {
		act := <-in.acts
		act()
	}
}
