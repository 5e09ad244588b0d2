package chat

import (
	"context"

	"agent/internal/chat/window"
	"agent/internal/compression"
	"agent/internal/settings"
)

// ContextUsage breaks the size of the next request down by kind.
type ContextUsage = window.Usage

// PruneRecord is one line of the ledger that /density shows.
type PruneRecord = window.Prune

// Views shows the content of the context, and the pruned content.
type Views struct {
	inbox    inbox
	window   *window.Window
	endpoint Endpoint
	settings *settings.Settings
}

// ContextUsage returns the size of the next request by kind.
func (v *Views) ContextUsage(ctx context.Context) (ContextUsage, error) {
	return ask(ctx, v.inbox, v.window.Usage)
}

// Item is one item of the context.
type Item = window.Item

// Items lists the items of the context: first the system prompt and tools, then the largest.
func (v *Views) Items(ctx context.Context) ([]Item, error) {
	return ask(ctx, v.inbox, v.window.Contents.Items)
}

// PrunablePart is a part of the context that pruning could remove but has not removed.
type PrunablePart = window.PrunablePart

// PrunableParts lists the parts of the context about a file or command, and why each is still in the
// context. If subject is "", it lists all parts.
func (v *Views) PrunableParts(ctx context.Context, subject string) ([]PrunablePart, error) {
	return ask(ctx, v.inbox, func() []PrunablePart { return v.window.Contents.PrunableParts(subject) })
}

// KnownFiles returns the absolute paths of the files with content in the context, and of the pinned
// ones among them. Pruning does not remove pinned files.
func (v *Views) KnownFiles(ctx context.Context) (known, pinned []string, err error) {
	type files struct{ known, pinned []string }
	f, err := ask(ctx, v.inbox, func() files { return files{v.window.Pins.FilesInContext(), v.window.Pins.List()} })
	return f.known, f.pinned, err
}

// Pin protects a file from pruning, or ends the protection if pinned is false. It returns the absolute
// path of the file.
func (v *Views) Pin(ctx context.Context, path string, pinned bool) (file string, err error) {
	return try(ctx, v.inbox, func() (string, error) { return v.window.Pins.Pin(path, pinned) })
}

// Ledger lists every prune of the session, oldest first.
func (v *Views) Ledger(ctx context.Context) ([]PruneRecord, error) {
	return ask(ctx, v.inbox, v.window.Ledger.Lines)
}

// RequestCost is the cost of one request.
type RequestCost = compression.RequestCost

// CostComparison compares the costs of a session's requests with their costs without pruning.
type CostComparison struct {
	Bills []RequestCost
	// Dollars is the price of an uncached input token, in USD; 0 if the price is unknown.
	Dollars float64
	// Shortfalls is set if the provider finds less in its cache than it should.
	Shortfalls bool
}

// NextRequest describes the next request as it would be sent now.
type NextRequest = window.NextRequest

// NextRequest returns the next request: the content that would be pruned before it, and the cost.
func (v *Views) NextRequest(ctx context.Context) (NextRequest, error) {
	return ask(ctx, v.inbox, v.window.NextRequest)
}

// CostComparison returns the CostComparison of the session. It has no request costs if the strategy does no cost
// accounting.
func (v *Views) CostComparison(ctx context.Context) (CostComparison, error) {
	return ask(ctx, v.inbox, func() CostComparison {
		var s CostComparison
		s.Bills, s.Shortfalls = v.window.Costs.RequestCosts()
		if prices, ok := settings.InputPricesOf(v.settings, v.endpoint.Prices(settings.Model.Value(v.settings))); ok && !prices.Free {
			s.Dollars = prices.Input / 1_000_000
		}
		return s
	})
}
