package chat

import (
	"agent/internal/llm"

	"agent/internal/settings"
)

// Stats are the running figures of a session.
type Stats struct {
	Requests         int
	ToolCalls        int
	PromptTokens     int
	CompletionTokens int
	CachedTokens     int
	Compressions     int
}

// observeUsage takes the provider's figures into the totals and the calibration
// (D-09).
func (c *Chat) observeUsage(r *reply, u llm.Usage) {
	c.latest = u
	c.stats.PromptTokens += u.PromptTokens
	c.stats.CompletionTokens += u.CompletionTokens
	c.stats.CachedTokens += u.CachedTokens
	c.calibration.Observe(r.model, r.estimate, u.PromptTokens)
	c.Emit(UsageReported(u))
	c.emitStatus()
}

// status returns the figures of the status line. It belongs to the owner
// goroutine; others get it with StatusChanged.
func (c *Chat) status() Status {
	return Status{
		Model:  settings.Model.Of(c.Settings),
		Tokens: c.Tokens(),
		Limit:  c.contextLimit(),
		Mode:   c.Mode(),
		Freed:  c.density.freed,
	}
}

func (c *Chat) emitStatus() { c.Emit(StatusChanged{Status: c.status()}) }

// Refresh tells the status again, after something outside has changed it.
func (c *Chat) Refresh() {
	select {
	case c.inbox <- c.emitStatus:
	default: // a busy chat tells its status soon anyway
	}
}
