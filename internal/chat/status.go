package chat

import (
	"context"

	"agent/internal/base/humanize"
	"agent/internal/settings"
	"agent/internal/tools"
)

func (c *Chat) saved() Saving {
	account, scaled := c.window.Costs.Savings(), func(tokens float64) float64 { return float64(c.window.Measure.ToProviderTokens(int(tokens))) }
	saving := Saving{Tokens: c.window.Measure.ToProviderTokens(account.Tokens), Without: scaled(account.None), Saved: scaled(account.None - account.Spent)}
	if prices, ok := settings.InputPricesOf(c.config.Settings, c.config.Endpoint.Prices(settings.Model.Value(c.config.Settings))); ok && !prices.Free {
		const million = 1_000_000
		saving.Cost = saving.Saved * prices.Input / million
	}
	return saving
}

// Stats returns the running figures of the session.
func (c *Chat) Stats(ctx context.Context) (Stats, error) { return ask(ctx, c.inbox, c.figures) }

// LastReply returns the model's latest text, "" before the first.
func (c *Chat) LastReply(ctx context.Context) (string, error) {
	return ask(ctx, c.inbox, func() string { return c.lastReply })
}

func (c *Chat) figures() Stats {
	stats := c.stats.Stats
	stats.ToolCalls, stats.Compressions = c.runner.ran, c.window.CompressionCount()
	return stats
}

func (c *Chat) status() Status {
	return Status{
		Model:     settings.Model.Value(c.config.Settings),
		Effort:    settings.ReasoningEffort.Value(c.config.Settings),
		Tokens:    c.window.Measure.Tokens(),
		Limit:     c.window.Limits.Size(),
		Threshold: c.window.CompressionThreshold(),
		Mode:      c.modes.consent.Mode(),
		Freed:     c.window.Ledger.PrunedTokens(),

		Unsaved:    c.saving.behind,
		Unconfined: settings.Sandbox.Value(c.config.Settings) == settings.SandboxOff,
		Jobs:       runningJobs(c.config.Env),
		Todo:       todoProgress(c.config.Env),
		Agents:     c.config.runningAgents(),
	}
}

// runningJobs returns the number of commands that run in the background.
func runningJobs(env *tools.Env) int {
	if env.Jobs == nil {
		return 0
	}
	return env.Jobs.RunningCount()
}

// todoProgress returns the progress of the todo list, or "" if no task is open.
func todoProgress(env *tools.Env) string {
	list := env.Todos.List()
	if !list.HasOpen() {
		return ""
	}
	return list.Progress().String()
}

func (c *Chat) emitStatus() {
	c.saving.check()
	c.asker.settleMoot()
	c.tellJobs()
	for _, warning := range c.config.Env.Snapshots.Warnings() {
		c.emit.notice("%s", warning)
	}
	c.emit(StatusChanged{c.status(), c.figures()})
}

// tellJobs lists the running background commands when the mode changes to one that forbids changes.
// They were started before, and continue.
func (c *Chat) tellJobs() {
	mode, before := c.modes.consent.Mode(), c.toldMode
	if c.toldMode = mode; !mode.IsReadOnly() || before == "" || before.IsReadOnly() || c.config.Env.Jobs == nil {
		return
	}
	for _, job := range c.config.Env.Jobs.List() {
		if job.Running() {
			c.emit.notice("The mode is now %s, but job %d is still running: %s. To stop it: /jobs end %d", mode, job.ID, humanize.Line(job.Command.Line, 60), job.ID)
		}
	}
}
