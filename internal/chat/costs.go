package chat

import (
	"fmt"
	"sync"

	"agent/internal/base/humanize"
	"agent/internal/chat/window"
	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/settings"
)

// Costs sums up the cost of requests. Conversations that share a Costs share one max-cost. The zero
// value is ready to use, and it is safe for concurrent use.
type Costs struct {
	// Turns stores the costs of turns, each as a multiple of the input cost of its first request, for
	// estimates. Pauses stores the user's pauses in seconds. Both are set before the first turn. If
	// nil, nothing is stored.
	Turns, Pauses NumberHistory

	mu    sync.Mutex
	spent float64
}

// Total returns the cost of all requests so far whose prices are known, in USD.
func (c *Costs) Total() float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.spent
}

func (c *Costs) add(usd float64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.spent += usd
}

// NumberHistory stores measurements of a user's sessions. It is safe for concurrent use.
type NumberHistory interface {
	Add(number float64)
	// Latest returns the latest numbers, oldest first.
	Latest() []float64
}

// totals sums up a session. Only the owner goroutine of the chat uses it.
type totals struct {
	Stats
	emit     emitter
	settings *settings.Settings
	// program sums up the costs of all conversations.
	program *Costs
	// unlimited is set once the user was told that max-cost cannot be enforced, or not exactly.
	unlimited bool
	// toldStep is set after the notice that requests are above a step of the prices.
	toldStep bool
	// first is the input cost of the turn's first request, or 0 before that request.
	first float64
	// noted is the part of the session cost that replies contain in their metadata.
	noted float64
	// cache detects requests with cache misses.
	cache *cacheWatch
}

// count adds the provider's figures for a request to the totals. The prices come from the settings, or
// otherwise from the endpoint.
func (t *totals) count(model string, u llm.Usage, of *settings.Settings, at Endpoint) {
	t.UsageReported.add(reportedOf(u))
	t.Dropped += u.DroppedThinking
	if prices, ok := settings.PricesOf(of, at.Prices(model)); ok {
		if t.first == 0 {
			t.first = prices.Cost(u.PromptTokens, u.CachedTokens, u.CacheWriteTokens, 0) + prices.CostOfHour(u.PromptTokens, u.LongWriteTokens)
		}
		t.spend(prices.Cost(u.PromptTokens, u.CachedTokens, u.CacheWriteTokens, u.CompletionTokens) + prices.CostOfHour(u.PromptTokens, u.LongWriteTokens))
		return
	}
	t.cannotLimit("the prices of %s are unknown. Set price.input and price.output", model)
	t.Unpriced.add(reportedOf(u))
}

func (t *totals) spend(usd float64) {
	t.Cost += usd
	t.program.add(usd)
}

// countSearches counts searches that the model's server made by itself.
func (t *totals) countSearches(n int) {
	const thousand = 1000
	t.Searches += n
	t.spend(float64(n) * settings.WebSearchPrice.Value(t.settings) / thousand)
}

// stamp adds to a reply the cost of the session and its agents since the previous reply.
func (t *totals) stamp(reply *history.Content) *history.Content {
	cost := t.SessionCost() - t.noted
	if cost <= 0 {
		return reply
	}
	t.noted += cost
	return reply.WithMeta(history.MetaCost, cost)
}

// estimate adds the cost of a request for which the provider reported no tokens. It uses our own token
// count, and counts no tokens as cached. If the price is unknown, it adds nothing.
func (t *totals) estimate(model string, u llm.Usage, of *settings.Settings, at Endpoint) {
	prices, ok := settings.PricesOf(of, at.Prices(model))
	if !ok {
		t.cannotLimit("the endpoint reports no token counts for %s, and its prices are unknown. Set price.input and price.output", model)
		return
	}
	t.spend(prices.Cost(u.PromptTokens, 0, 0, u.CompletionTokens))
	t.sayOnce("The endpoint reports no token counts for %s. max-cost uses an estimate.", model)
}

// cannotLimit prints once, if max-cost is set, why the cost cannot be limited.
func (t *totals) cannotLimit(format, model string) {
	t.sayOnce("can't enforce max-cost: "+format, model)
}

// sayOnce shows a notice about max-cost, if max-cost is set and no such notice was shown before.
func (t *totals) sayOnce(format, model string) {
	if _, limited := settings.MaxCost.Get(t.settings); !limited || t.unlimited {
		return
	}
	t.unlimited = true
	t.emit.notice(format, model)
}

// costError reports that the run has reached its max-cost.
type costError struct{ cost, limit float64 }

func (e *costError) Error() string {
	return fmt.Sprintf("the run has reached max-cost: %s of %s spent", humanize.Dollars(e.cost), humanize.Dollars(e.limit))
}

// checkCost returns a *costError once the conversations of this process have spent max-cost. After that
// the program sends no request, neither for an answer nor for a summary. The earlier cost of a resumed
// session does not count.
func (t *totals) checkCost() error {
	limit, limited := settings.MaxCost.Get(t.settings)
	if spent := t.program.Total(); limited && spent >= limit && (spent > 0 || t.Requests > 0) {
		return &costError{spent, limit}
	}
	return nil
}

// noteVoid records how many replies lose their reasoning in the next request, and the change that made
// it void.
func (t *totals) noteVoid(replies int, change string) {
	if replies > t.Void {
		t.VoidBy = change
	}
	t.Void = replies
}

// tellVoid reports the reasoning that became void since earlier figures.
func (t *totals) tellVoid(before Stats) {
	// VoidBy is "" if the reasoning became void before the session was resumed.
	if lost := t.Void - before.Void; lost > 0 && t.VoidBy != "" {
		t.emit.notice("agent no longer sends the reasoning of %s, because earlier messages have changed%s", humanize.Count(lost, "reply"), t.VoidText())
	}
}

// tellCost reports the cost of a turn of the user, with its agents.
func (t *totals) tellCost(before Stats) {
	if cost := t.CostSince(before); cost != "" {
		t.emit(TurnCost{cost, t.SessionCost()})
	}
}

// warnOfStep reports the first request above a step of the prices. The notice has the cost and the
// number of tokens to prune.
func (t *totals) warnOfStep(w *window.Window, at Endpoint) {
	prices, ok := settings.InputPricesOf(t.settings, at.Prices(settings.Model.Value(t.settings)))
	if !ok || prices.Free || len(prices.Steps) == 0 || prices.Input <= 0 {
		return
	}
	tokens, step, told := w.Measure.Tokens(), prices.Steps[0], t.toldStep
	t.toldStep = tokens > step.Above
	if told || !t.toldStep {
		return
	}
	text := fmt.Sprintf("The next request has %s tokens. Above %s tokens, the whole request costs ", humanize.Tokens(tokens), humanize.Tokens(step.Above))
	if step.Input == 2*prices.Input {
		text += "double"
	} else {
		text += fmt.Sprintf("%.3g times as much", step.Input/prices.Input)
	}
	if p := w.Usage().Prunable; p.Free+p.Cold > 0 {
		text += ". /density can prune " + humanize.Tokens(p.Free+p.Cold)
	}
	t.emit.notice("%s.", text)
}

// turnEnded stores the cost of a turn, if its requests had prices. before contains the figures at the
// start of the turn.
func (t *totals) turnEnded(before Stats) {
	total := t.Cost - before.Cost + t.Agents.Cost - before.Agents.Cost
	if t.first > 0 && total > 0 && t.program.Turns != nil {
		t.program.Turns.Add(total / t.first)
	}
	t.first = 0
}
