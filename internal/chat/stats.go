package chat

import (
	"agent/internal/chat/window"
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
	CacheWriteTokens int
	Compressions     int
	// Cost is what the requests cost whose prices were known, in USD; Unpriced are the
	// tokens of the others.
	Cost     float64
	Unpriced UsageReported
}

// price adds what a request to model cost, by the prices of that moment.
func (c *Chat) price(model string, u llm.Usage) {
	var known *settings.Prices
	if c.Prices != nil {
		known = c.Prices(model)
	}
	if prices, ok := settings.PricesOf(c.Settings, known); ok {
		c.stats.Cost += prices.Cost(u.PromptTokens, u.CachedTokens, u.CacheWriteTokens, u.CompletionTokens)
		return
	}
	if _, limited := settings.MaxCost.Get(c.Settings); limited && c.stats.Unpriced == (UsageReported{}) {
		c.notice("max-cost cannot be kept: the prices of %s are not known; set price.input and price.output", model)
	}
	c.stats.Unpriced.PromptTokens += u.PromptTokens
	c.stats.Unpriced.CompletionTokens += u.CompletionTokens
	c.stats.Unpriced.CachedTokens += u.CachedTokens
	c.stats.Unpriced.CacheWriteTokens += u.CacheWriteTokens
}

// tooCostly reports whether the session has cost what it may.
func (c *Chat) tooCostly() bool {
	limit, limited := settings.MaxCost.Get(c.Settings)
	return limited && c.stats.Cost >= limit && c.stats.Requests > 0
}

// observeUsage takes the provider's figures into the totals and the calibration
// (D-09).
func (c *Chat) observeUsage(r *reply, u llm.Usage) {
	c.stats.PromptTokens += u.PromptTokens
	c.stats.CompletionTokens += u.CompletionTokens
	c.stats.CachedTokens += u.CachedTokens
	c.stats.CacheWriteTokens += u.CacheWriteTokens
	c.price(r.model, u)
	c.window.Observe(r.model, r.estimate, window.Reported{Prompt: u.PromptTokens, Cached: u.CachedTokens})
	c.Emit(UsageReported(u))
	c.emitStatus()
}

// figures are the totals of the session.
func (c *Chat) figures() Stats {
	stats := c.stats
	stats.ToolCalls, stats.Compressions = c.runner.ran, c.window.Compressions()
	return stats
}

// status returns the figures of the status line.
func (c *Chat) status() Status {
	return Status{
		Model:  settings.Model.Of(c.Settings),
		Tokens: c.window.Tokens(),
		Limit:  c.window.Size(),
		Mode:   c.Mode(),
		Freed:  c.window.Freed(),

		Unsaved: c.unsaved,
	}
}

func (c *Chat) emitStatus() {
	c.tellUnsaved()
	c.Emit(StatusChanged{c.status(), c.figures()})
}

// tellUnsaved says once that the record falls behind, and once that it has caught
// up. The conversation goes on meanwhile: it may be about making room.
func (c *Chat) tellUnsaved() {
	var err error
	if c.Unsaved != nil {
		err = c.Unsaved()
	}
	switch was := c.unsaved; {
	case err != nil && !was:
		c.unsaved = true
		c.notice("%v; the conversation goes on, and what is missing is written as soon as that is possible", err)
	case err == nil && was:
		c.unsaved = false
		c.notice("the session is saved again, with what was missing")
	}
}

// Note shows a notice of something outside the conversation, from any goroutine.
func (c *Chat) Note(text string) {
	select {
	case c.inbox <- func() { c.notice("%s", text) }:
	default: // nothing that is only good to know holds anybody up
	}
}

// Refresh tells the status again, after something outside has changed it.
func (c *Chat) Refresh() {
	select {
	case c.inbox <- c.emitStatus:
	default: // a busy chat tells its status soon anyway
	}
}
