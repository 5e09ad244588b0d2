package chat

import (
	"context"

	"agent/internal/chat/window"
	"agent/internal/compression/cacheaware"
	"agent/internal/settings"
)

// ContextUsage is the next request by kind.
type ContextUsage = window.Usage

// PruneRecord is one line of the ledger that /density shows.
type PruneRecord = window.Prune

// views show what the window holds and has done.
type views struct {
	*Config
	inbox  inbox
	window *window.Window
}

// ContextUsage describes the next request by kind.
func (v *views) ContextUsage(ctx context.Context) (ContextUsage, error) {
	return ask(ctx, v.inbox, v.window.Usage)
}

// Item is one thing in the context.
type Item = window.Item

// Items lists the things in the context, the largest first.
func (v *views) Items(ctx context.Context) ([]Item, error) {
	return ask(ctx, v.inbox, v.window.Items)
}

// Held is a part of the context that pruning could take and has not.
type Held = window.Held

// Held lists the parts of the context that are about a file or command, all of them for
// "", and why each is still there.
func (v *views) Held(ctx context.Context, subject string) ([]Held, error) {
	return ask(ctx, v.inbox, func() []Held { return v.window.Held(subject) })
}

// KnownFiles are the files that the context holds something of, and Pins those of them
// that pruning leaves alone, by their absolute paths.
func (v *views) KnownFiles(ctx context.Context) (known, pinned []string, err error) {
	_, err = ask(ctx, v.inbox, func() struct{} {
		known, pinned = v.window.KnownFiles(), v.window.Pins()
		return struct{}{}
	})
	if err != nil {
		return nil, nil, err
	}
	return known, pinned, nil
}

// Pin keeps pruning away from a file until it is unpinned, and returns its absolute path.
func (v *views) Pin(ctx context.Context, path string, pinned bool) (file string, err error) {
	return try(ctx, v.inbox, func() (string, error) { return v.window.Pin(path, pinned) })
}

// Ledger lists every prune of the session, oldest first.
func (v *views) Ledger(ctx context.Context) ([]PruneRecord, error) {
	return ask(ctx, v.inbox, v.window.Ledger)
}

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

// Upcoming is the next request as it would be sent now.
type Upcoming = window.Upcoming

// Upcoming says what would leave before the next request, and what that would cost.
func (v *views) Upcoming(ctx context.Context) (Upcoming, error) {
	return ask(ctx, v.inbox, v.window.Upcoming)
}

// Story returns that of the session; without bills for a strategy that keeps no account.
func (v *views) Story(ctx context.Context) (Story, error) {
	return ask(ctx, v.inbox, func() Story {
		var s Story
		s.Bills, s.Shortfalls = v.window.Bills()
		if prices, ok := settings.InputPricesOf(v.Settings, v.Endpoint.Prices(settings.Model.Of(v.Settings))); ok {
			s.Dollars = prices.Input / 1_000_000
		}
		return s
	})
}
