package chat

import (
	"context"
	"math"
	"slices"

	"agent/internal/history"
	"agent/internal/settings"
	"agent/internal/words"
)

// An Estimate is what a message would cost, in USD.
type Estimate struct {
	// First is the cost of the input of the first request.
	First float64
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

// EstimateOf returns what a message with a text would cost now. It reports false if the prices are
// not known, or if the strategy keeps no account of the provider's cache. The content of files
// that the text includes is not counted.
func EstimateOf(ctx context.Context, c *Chat, text string) (e Estimate, known bool, err error) {
	known, err = ask(ctx, c.inbox, func() bool {
		model := settings.Model.Of(c.config.Settings)
		prices, priced := settings.InputPricesOf(c.config.Settings, c.config.Endpoint.Prices(model))
		bill := c.window.Upcoming().Bill
		if !priced || prices.Input <= 0 || bill.Spent <= 0 {
			return false
		}
		const million = 1_000_000
		added := float64(c.window.Measure.Scaled(c.config.History.CountContent(history.HumanText(text)))) * c.config.price(model).Write
		e.First = (bill.Spent + added) * prices.Input / million
		return true
	})
	if known && c.config.Costs.Turns != nil {
		if low, high, enough := RangeOf(c.config.Costs.Turns.Multiples()); enough {
			e.Low, e.High = max(e.First, e.First*low), e.First*high
		}
	}
	return e, known, err
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
