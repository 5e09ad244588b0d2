package chat

import (
	"context"

	"agent/internal/compression/cacheaware"
	"agent/internal/settings"
)

// Bill is what one request cost.
type Bill = cacheaware.Bill

// Story is what the requests of a session cost, beside what they would have without
// pruning.
type Story struct {
	Bills []Bill
	// Dollars is what a token at the full price of input costs, in USD; 0 where the price
	// is not known.
	Dollars float64
	// Shortfalls says that the provider finds less in its cache than it should.
	Shortfalls bool
}

// Story returns that of the session; without bills for a strategy that keeps no account.
func (c *Chat) Story(ctx context.Context) (Story, error) {
	return ask(ctx, c.inbox, func() Story {
		var s Story
		s.Bills, s.Shortfalls = c.window.Bills()
		if prices, ok := settings.InputPricesOf(c.Settings, c.knownPrices(settings.Model.Of(c.Settings))); ok {
			s.Dollars = prices.Input / 1_000_000
		}
		return s
	})
}
