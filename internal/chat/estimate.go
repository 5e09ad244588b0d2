package chat

import (
	"context"
	"errors"
	"math"
	"slices"

	"agent/internal/base/humanize"
	"agent/internal/chat/cachemiss"
	"agent/internal/chat/window"
	"agent/internal/compression"
	"agent/internal/history"
	"agent/internal/settings"
)

// A CostEstimate is the cost of a message before it is sent, in USD.
type CostEstimate struct {
	// First is the input cost of the first request, and Tokens its size. Least and Most limit First,
	// from the differences so far between texts and the provider's token counts.
	First, Least, Most float64
	Tokens             int
	// Low and High limit the cost of the whole turn, estimated from the user's earlier turns. They are
	// 0 if there are too few turns.
	Low, High float64
}

// exact limits the relative difference between First and the limits Least and Most. Within it, the
// estimate is shown as one cost.
const exact = 0.02

// String returns the estimate in one line. It contains one cost for the first request if the estimate
// is exact enough, and a range otherwise.
func (e CostEstimate) String() string {
	text := "≈ " + humanize.Dollars(e.First)
	if e.Most > e.First*(1+exact) || e.Least < e.First*(1-exact) {
		text = "≈ " + humanize.Dollars(e.Least) + " to " + humanize.Dollars(e.Most)
	}
	text += " for the first request"
	if e.High > 0 {
		text += ", " + humanize.Dollars(e.Low) + " to " + humanize.Dollars(e.High) + " for the turn"
	}
	return text
}

// EstimateMessage returns the present cost of sending a message of some blocks. It reports false if the
// prices are unknown, or if a model would first write a summary. It may be called on any goroutine
// except the owner's. It uses only counts that exist already.
func EstimateMessage(ctx context.Context, c *Chat, blocks []history.Block) (e CostEstimate, known bool, err error) {
	entry := history.New(history.Human, blocks...)
	entry.CountTokens(c.config.Counter(settings.Model.Value(c.config.Settings)))
	known, err = ask(ctx, c.inbox, func() bool {
		model := settings.Model.Value(c.config.Settings)
		prices, priced := settings.InputPricesOf(c.config.Settings, c.config.Endpoint.Prices(model))
		if !priced || prices.Input <= 0 {
			return false
		}
		if about := c.modes.aboutMode(); len(about) > 0 {
			entry = history.New(history.Human, slices.Concat(blocks, about)...)
		}
		next := c.window.NextRequest()
		if next.Cost.Spent > 0 && len(next.Leaves) == 0 && next.Cost.Tokens+c.window.Measure.ToProviderTokens(c.config.History.CountContent(entry)) < next.Trigger {
			e = c.stats.cache.price(model, models{&c.config}.Price(model), c.window, entry)
		} else {
			e, err = sizeWith(ctx, c, entry)
		}
		const million = 1_000_000
		for _, cost := range []*float64{&e.First, &e.Least, &e.Most} {
			*cost *= prices.Input / million
		}
		return err == nil && e.Tokens > 0
	})
	if known && c.config.Costs.Turns != nil {
		if low, high, enough := PredictionRange(c.config.Costs.Turns.Latest()); enough {
			e.Low, e.High = max(e.Least, e.Least*low), e.Most*high
		}
	}
	return e, known, err
}

// sizeWith estimates the request with one more entry, on a copy of the conversation. The costs are in
// input tokens. They are 0 if a model would first write a summary.
func sizeWith(ctx context.Context, c *Chat, entry *history.Content) (CostEstimate, error) {
	model := settings.Model.Value(c.config.Settings)
	h := history.NewService(c.config.Counter(model), nil)
	next := window.Copy(c.window, h)
	if err := errors.Join(h.Restore(c.config.History.RawHistory()), next.Resume(c.window.Pins.List(), nil), h.Add(entry)); err != nil {
		return CostEstimate{}, err
	}
	if strategy, err := next.ActiveStrategy(); err != nil || strategy.RequiresLLM() && next.Measure.ShouldCompress(strategy) {
		return CostEstimate{}, err // the cost of a summary is unknown
	}
	if err := EnsureCompressionBeforeSend(ctx, next); err != nil {
		return CostEstimate{}, err
	}
	return c.stats.cache.price(model, models{&c.config}.Price(model), next), nil
}

// price estimates the request of a window with some more entries, from the part that is in the
// provider's cache. The costs are in input tokens.
func (w *cacheWatch) price(model string, price compression.Price, of *window.Window, more ...*history.Content) CostEstimate {
	r := w.measured(model, of)
	for _, entry := range more {
		r.Entries, r.Tokens = append(r.Entries, entry), append(r.Tokens, of.History.CountContent(entry))
	}
	cache := w.steps.of(r.Model, cacheOf(w.settings, w.endpoint.Cache(model)))
	kept, blocks, has := w.watch.CachedPart(cachemiss.Request{At: w.now(), Model: model, Host: settings.BaseURL.Value(w.settings), Head: r.Head, Entries: r.Entries}, cache)
	share := 0.0
	if blocks > 0 {
		share = float64(of.History.CountBlocks(r.Entries[kept].Blocks[:blocks])) / float64(r.Tokens[kept])
	}
	const probe = 1_000_000
	whole, held := w.gauge.Size(r, float64(of.Measure.ToProviderTokens(probe))/probe, kept, share)
	cost := func(differs float64) float64 {
		cached := 0.0
		if has {
			cached = float64(cache.Whole(int(math.Round(held.Tokens - differs*held.Doubt))))
		}
		return (whole.Tokens+differs*whole.Doubt-cached)*price.Write + cached*price.Read
	}
	return CostEstimate{First: cost(0), Least: cost(-1), Most: cost(1), Tokens: int(math.Round(whole.Tokens))}
}

const (
	// leastTurns is the number of earlier turns required for a range. The next of ten turns lies
	// between the least and the most of the others in 9 of 11 cases.
	leastTurns = 10
	// latestTurns limits the turns that the range uses, because habits change.
	latestTurns = 100
	// outsideShare is the share of turns that may lie outside of the range. It is smaller than the promised
	// fifth, because turns of one session are alike.
	outsideShare = 0.14
)

// PredictionRange returns the range that contains the next multiple with probability 1-outsideShare, if it
// has the same distribution as the earlier ones.
func PredictionRange(earlier []float64) (low, high float64, enough bool) {
	sorted := slices.Sorted(slices.Values(earlier[max(0, len(earlier)-latestTurns):]))
	n := float64(len(sorted))
	if n < leastTurns {
		return 0, 0, false
	}
	from := int(math.Floor((n+1)*outsideShare/2)) - 1
	to := int(math.Ceil((n+1)*(1-outsideShare/2))) - 1
	return sorted[max(0, from)], sorted[min(len(sorted)-1, to)], true
}
