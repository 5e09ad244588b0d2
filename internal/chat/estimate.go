package chat

import (
	"context"
	"errors"
	"math"
	"slices"

	"agent/internal/chat/broke"
	"agent/internal/chat/window"
	"agent/internal/history"
	"agent/internal/settings"
	"agent/internal/words"
)

// An Estimate is what a message would cost, in USD.
type Estimate struct {
	// First is the cost of the input of the first request, and Tokens its size.
	First  float64
	Tokens int
	// Low and High bound what the whole turn costs, by the person's own earlier turns. They are 0 if
	// there are too few.
	Low, High float64
}

// String returns the estimate in one line.
func (e Estimate) String() string {
	text := "≈ " + words.Dollars(e.First) + " for the first request"
	if e.High > 0 {
		text += ", " + words.Dollars(e.Low) + " to " + words.Dollars(e.High) + " for the turn"
	}
	return text
}

// EstimateOf returns what a message of some blocks would cost now. It reports false if the prices
// are not known, or if a model would summarise the conversation first. It may be called on any
// goroutine but the owner's, which only tries what is counted already.
func EstimateOf(ctx context.Context, c *Chat, blocks []history.Block) (e Estimate, known bool, err error) {
	entry := history.New(history.Human, blocks...)
	entry.CountTokens(c.config.Counter(settings.Model.Of(c.config.Settings)))
	known, err = ask(ctx, c.inbox, func() bool {
		model := settings.Model.Of(c.config.Settings)
		prices, priced := settings.InputPricesOf(c.config.Settings, c.config.Endpoint.Prices(model))
		if !priced || prices.Input <= 0 {
			return false
		}
		if about := c.modes.aboutMode(); len(about) > 0 {
			entry = history.New(history.Human, slices.Concat(blocks, about)...)
		}
		spent := 0.0
		next := c.window.Upcoming()
		bill, added := next.Bill, c.window.Measure.Scaled(c.config.History.CountContent(entry))
		if bill.Spent > 0 && bill.Tokens+added < next.Due {
			e.Tokens, spent = bill.Tokens+added, bill.Spent+float64(added)*c.config.price(model).Write
		} else {
			e.Tokens, spent, err = tried(ctx, c, entry)
		}
		const million = 1_000_000
		e.First = spent * prices.Input / million
		return err == nil && e.Tokens > 0
	})
	if known && c.config.Costs.Turns != nil {
		if low, high, enough := RangeOf(c.config.Costs.Turns.Multiples()); enough {
			e.Low, e.High = max(e.First, e.First*low), e.First*high
		}
	}
	return e, known, err
}

// tried returns the size of the request with one entry more, which is made on a copy of the
// conversation, and its price in tokens of input, by what the provider's cache has of it.
func tried(ctx context.Context, c *Chat, entry *history.Content) (tokens int, spent float64, err error) {
	model := settings.Model.Of(c.config.Settings)
	h := history.NewService(c.config.Counter(model), nil)
	next := window.Copy(c.window, h)
	if err := errors.Join(h.Restore(c.config.History.RawHistory()), next.Resume(c.window.Pins.List(), nil), h.Add(entry)); err != nil {
		return 0, 0, err
	}
	if strategy, err := next.Active(); err != nil || strategy.RequiresLLM() && next.Measure.ShouldCompress(strategy) {
		return 0, 0, err // what a summary would cost is not known
	}
	if err := EnsureCompressionBeforeSend(ctx, next); err != nil {
		return 0, 0, err
	}
	entries, _ := h.Curated()
	cache, price := cacheOf(c.config.Settings, c.config.Endpoint.Cache(model)), c.config.price(model)
	tokens = next.Measure.Tokens()
	kept, blocks, head := c.stats.cache.watch.Keeps(broke.Sent{At: c.config.Now(), Model: model, Host: settings.BaseURL.Of(c.config.Settings), Head: next.HeadSum(), Entries: entries}, cache)
	cached := 0
	if head {
		fresh := 0
		for _, entry := range entries[kept:] {
			fresh += h.CountContent(entry)
		}
		if blocks > 0 {
			fresh -= h.CountBlocks(entries[kept].Blocks[:blocks])
		}
		cached = cache.Whole(max(0, tokens-next.Measure.Scaled(fresh)))
	}
	return tokens, float64(tokens-cached)*price.Write + float64(cached)*price.Read, nil
}

// Turns keeps what the turns of a person cost, each as a multiple of the input of its first
// request. It is safe for concurrent use.
type Turns interface {
	Add(multiple float64)
	// Multiples returns the latest turns, oldest first.
	Multiples() []float64
}

const (
	// leastTurns is the number of earlier turns from which a range is given: of ten, the least and
	// the most hold the next one in 9 of 11 cases.
	leastTurns = 10
	// latestTurns bounds the turns that count, because habits change.
	latestTurns = 100
	// outside is the share of turns that may be outside of the range. It is less than the fifth that
	// is promised, because turns of one session are alike.
	outside = 0.14
)

// RangeOf returns the range in which the next multiple lies with the probability 1-outside, if it
// is drawn like the earlier ones.
func RangeOf(earlier []float64) (low, high float64, enough bool) {
	sorted := slices.Sorted(slices.Values(earlier[max(0, len(earlier)-latestTurns):]))
	n := float64(len(sorted))
	if n < leastTurns {
		return 0, 0, false
	}
	from := int(math.Floor((n+1)*outside/2)) - 1
	to := int(math.Ceil((n+1)*(1-outside/2))) - 1
	return sorted[max(0, from)], sorted[min(len(sorted)-1, to)], true
}

// turnEnded keeps what a turn cost, if its requests had prices. before are the figures at its
// beginning.
func (t *totals) turnEnded(before Stats) {
	total := t.Cost - before.Cost + t.Agents.Cost - before.Agents.Cost
	if t.first > 0 && total > 0 && t.program.Turns != nil {
		t.program.Turns.Add(total / t.first)
	}
	t.first = 0
}
