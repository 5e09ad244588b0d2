package chat

import (
	"fmt"

	"agent/internal/llm"
	"agent/internal/settings"
	"agent/internal/tools"
	"agent/internal/words"
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
	// Saving is what pruning has saved against sending everything, in the whole session;
	// zero for a strategy that keeps no account. It is that of the end of a turn.
	Saving Saving
}

// Saving compares a session with one in which nothing was pruned.
type Saving struct {
	// Tokens is how many input tokens fewer were sent.
	Tokens int
	// Cost is how much less was spent in USD, by the prices of the model in use; 0 where
	// they are not known.
	Cost float64
}

// Minus is what was saved since before.
func (s Saving) Minus(before Saving) Saving {
	return Saving{s.Tokens - before.Tokens, s.Cost - before.Cost}
}

// String says it in a few words, "" when nothing was saved: "12k tokens, $0.03".
func (s Saving) String() string {
	if s.Tokens <= 0 {
		return ""
	}
	text := words.Tokens(s.Tokens) + " tokens"
	if s.Cost >= leastCost {
		text += ", " + words.Dollars(s.Cost)
	}
	return text
}

// leastCost is the smallest sum that is worth telling, in USD.
const leastCost = 0.0005

// saved is what pruning has saved so far.
func (c *Chat) saved() Saving {
	account := c.window.Saved()
	saving := Saving{Tokens: c.window.Scaled(account.Tokens)}
	if prices, ok := settings.InputPricesOf(c.Settings, c.knownPrices(settings.Model.Of(c.Settings))); ok {
		const million = 1_000_000
		saving.Cost = float64(c.window.Scaled(int(account.None-account.Spent))) * prices.Input / million
	}
	return saving
}

// totals sums up a session. It belongs to the owner of the chat.
type totals struct {
	*Config
	Stats
	// unlimited is set once it was told that max-cost cannot be kept.
	unlimited bool
}

// count takes the provider's figures of a request to model into the totals.
func (t *totals) count(model string, u llm.Usage) {
	var known *settings.Prices
	if t.Prices != nil {
		known = t.Prices(model)
	}
	t.countPriced(model, u, t.Settings, known)
}

// countPriced is count for a model whose prices are those of other settings.
func (t *totals) countPriced(model string, u llm.Usage, of *settings.Settings, known *settings.Prices) {
	t.PromptTokens += u.PromptTokens
	t.CompletionTokens += u.CompletionTokens
	t.CachedTokens += u.CachedTokens
	t.CacheWriteTokens += u.CacheWriteTokens
	t.price(model, u, of, known)
}

// price adds what a request to model cost, by the prices of that moment.
func (t *totals) price(model string, u llm.Usage, of *settings.Settings, known *settings.Prices) {
	entry := Cost{Conversation: t.ID, Model: model, At: t.Now(), Usage: UsageReported(u)}
	if prices, ok := settings.PricesOf(of, known); ok {
		cost := prices.Cost(u.PromptTokens, u.CachedTokens, u.CacheWriteTokens, u.CompletionTokens)
		entry.USD = &cost
		t.Cost += cost
		t.Costs.add(entry)
		return
	}
	t.Costs.add(entry)
	t.cannotLimit("the prices of %s are not known; set price.input and price.output", model)
	t.Unpriced.PromptTokens += u.PromptTokens
	t.Unpriced.CompletionTokens += u.CompletionTokens
	t.Unpriced.CachedTokens += u.CachedTokens
	t.Unpriced.CacheWriteTokens += u.CacheWriteTokens
}

// uncounted takes note of a request whose provider did not say what it took.
func (t *totals) uncounted(model string) {
	t.cannotLimit("the endpoint does not say how many tokens %s takes", model)
}

// cannotLimit says once why the cost cannot be limited, where it should be.
func (t *totals) cannotLimit(format, model string) {
	if _, limited := settings.MaxCost.Get(t.Settings); !limited || t.unlimited {
		return
	}
	t.unlimited = true
	t.notice("max-cost cannot be kept: "+format, model)
}

// costError says that the run has cost what it may.
type costError struct{ cost, limit float64 }

func (e *costError) Error() string {
	return fmt.Sprintf("this run has cost %s, and max-cost is %s", words.Dollars(e.cost), words.Dollars(e.limit))
}

// affordable is a *costError once the conversations of the program have spent what they
// may since it was started: nothing more is sent then, for an answer or for a summary.
// What a session that goes on has cost before is not its own.
func (t *totals) affordable() error {
	limit, limited := settings.MaxCost.Get(t.Settings)
	if spent := t.Costs.Spent(); limited && spent >= limit && (spent > 0 || t.Requests > 0) {
		return &costError{spent, limit}
	}
	return nil
}

// countUsage takes the provider's figures of a request to model and tells them.
func (c *Chat) countUsage(model string, u llm.Usage) {
	c.stats.count(model, u)
	c.Emit(UsageReported(u))
	c.emitStatus()
}

// figures are the totals of the session.
func (c *Chat) figures() Stats {
	stats := c.stats.Stats
	stats.ToolCalls, stats.Compressions = c.runner.ran, c.window.Compressions()
	return stats
}

// status returns the figures of the status line.
func (c *Chat) status() Status {
	return Status{
		Model:     settings.Model.Of(c.Settings),
		Tokens:    c.window.Tokens(),
		Limit:     c.window.Size(),
		Threshold: c.window.Due(),
		Mode:      c.Mode(),
		Freed:     c.window.Freed(),

		Unsaved: c.saving.behind,
		Jobs:    runningJobs(c.Env),
		Todo:    todoProgress(c.Env),
	}
}

// runningJobs counts what runs in the background.
func runningJobs(env *tools.Env) int {
	if env.Jobs == nil {
		return 0
	}
	return env.Jobs.Running()
}

// todoProgress is that of the todo list, "" when nothing is left of it.
func todoProgress(env *tools.Env) string {
	list := env.Todos.List()
	if !list.Open() {
		return ""
	}
	return list.Progress().String()
}

func (c *Chat) emitStatus() {
	c.saving.check()
	for _, warning := range c.Env.Snapshots.Warnings() {
		c.notice("%s", warning)
	}
	c.Emit(StatusChanged{c.status(), c.figures()})
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
