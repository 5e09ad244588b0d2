package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"agent/internal/app"
	"agent/internal/base/fsutil"
	"agent/internal/base/humanize"
	"agent/internal/offline"
	"agent/internal/offline/logs"
)

// pastDays is the number of days of sessions with other agents that the line covers.
const pastDays = 30

// pastTime limits the time to compute the line. Tests allow more, because they share their machine.
var pastTime = 300 * time.Millisecond

// pastAgents maps the names of agents in their logs to the names that the line uses.
var pastAgents = map[string]string{"claude": "Claude Code", "codex": "codex"}

// tellPast prints one line, once per installation. The line compares the cost of the user's latest sessions
// with another agent to their cost here. tellPast sends nothing. If a turn is running, a later start prints
// the line.
func tellPast(ctx context.Context, w world, o sessionOptions, c *app.Conversation) {
	f, err := w.process.Folders()
	if err != nil || o.Record.Folder != "" || o.Record.Off { // a demo, or the user wants no records
		return
	}
	told := filepath.Join(f.State, "past-told")
	if _, err := os.Lstat(told); err == nil || c.Chat.CheckIdle(ctx) != nil {
		return
	}
	line := pastLine(ctx, w)
	if line == "" || c.Chat.CheckIdle(ctx) != nil || os.MkdirAll(f.State, 0o700) != nil || fsutil.CreateNew(told, nil, 0o600) != nil {
		return
	}
	c.Chat.Notify(line)
}

// pastLine returns the line, or "" if there is nothing to report.
func pastLine(ctx context.Context, w world) string {
	since := w.process.Now().AddDate(0, 0, -pastDays)
	files, _ := logs.Since(logs.Find(w.process.Home, w.process.Env, func(string, error) {}), since)
	if len(files) == 0 {
		return ""
	}
	found, all := offline.FindSavingsWithin(ctx, pastTime, files, offline.SavingsOptions{Since: since}, engines(w, settingsOptions{}))
	for _, agent := range found.Agents { // the first agent is the one with the highest cost
		name := pastAgents[agent.Name]
		if name == "" || agent.WithCost <= 0 || agent.WithCost >= agent.Cost {
			continue
		}
		when := fmt.Sprintf("last %d days", pastDays)
		if !all {
			when = humanize.Count(agent.Sessions, "latest session")
		}
		return fmt.Sprintf("Your %s with %s cost %s; the same with agent: %s. Run: agent savings", when, name, humanize.Dollars(agent.Cost), humanize.Dollars(agent.WithCost))
	}
	return ""
}
