package window

import (
	"slices"

	"agent/internal/compression"
	"agent/internal/history"
)

// CostAccounting compares the cost of the session with its cost without pruning.
type CostAccounting struct {
	pricing *pricing
	measure *RequestMeter
}

// RequestCosts returns the costs of the requests so far, in tokens as the provider counts them. It
// returns none if the strategy does no cost accounting. shortfalls is set if the provider's cache
// returns less than a cache of its kind should.
func (a *CostAccounting) RequestCosts() (bills []compression.RequestCost, shortfalls bool) {
	if !a.pricing.syncEngine() {
		return nil, false
	}
	for _, b := range a.pricing.engine.RequestCosts() {
		bills = append(bills, a.providerBill(b))
	}
	return bills, a.pricing.engine.HasShortfalls()
}

// NextCost returns the cost of the next request if the context does not change. It returns false if the
// strategy does no cost accounting.
func (a *CostAccounting) NextCost() (compression.RequestCost, bool) {
	if !a.pricing.syncEngine() {
		return compression.RequestCost{}, false
	}
	return a.providerBill(a.pricing.engine.NextCost(a.pricing.moment())), true
}

// NextRequest describes the next request as it would be sent now.
type NextRequest struct {
	// Cost is the size and the cost of the request after the content in Leaves is pruned. It has no
	// costs if the strategy does no cost accounting.
	Cost compression.RequestCost
	// Limit is the context window, and Trigger the size at which compression runs.
	Limit, Trigger int
	// Leaves lists the content to be pruned before the request, with sizes by our own count. Cut is the
	// cost of that, or nil for a strategy that does not weigh prices.
	Leaves []Prune
	Cut    *history.PruningCost
	// Held lists the content that could be pruned but is kept.
	Held []PrunablePart
}

func (a *CostAccounting) providerBill(b compression.RequestCost) compression.RequestCost {
	b.Tokens, b.All = a.measure.ToProviderTokens(b.Tokens), a.measure.ToProviderTokens(b.All)
	b.Spent, b.None = float64(a.measure.ToProviderTokens(int(b.Spent))), float64(a.measure.ToProviderTokens(int(b.None)))
	return b
}

// Savings compares the session with one without pruning. It returns zero if the strategy does no cost
// accounting.
func (a *CostAccounting) Savings() compression.Account {
	if !a.pricing.syncEngine() {
		return compression.Account{}
	}
	return a.pricing.engine.Account()
}

// NextRequest describes the next request, with the content to be pruned before it and the cost.
func (w *Window) NextRequest() NextRequest {
	u := NextRequest{Limit: w.Limits.Size(), Trigger: w.CompressionThreshold()}
	if w.pricing.syncEngine() {
		plan, held, bill := w.pricing.engine.Forecast(w.pricing.moment())
		u.Cost = w.Costs.providerBill(bill)
		if len(plan.Changes) > 0 {
			cut := w.pricing.engine.CostOfPlan(plan)
			u.Cut = &cut
		}
		for _, c := range plan.Changes {
			u.Leaves = append(u.Leaves, Prune{Kind: history.PruneKind(c.Why), Subject: c.Subject, Paths: c.Paths, Reason: c.Kind + ", " + c.Reason(), Tokens: c.Tokens})
		}
		u.Held = w.Contents.scaledHeld(held)
		return u
	}
	u.Held = slices.DeleteFunc(w.Contents.PrunableParts(""), func(h PrunablePart) bool { return !h.Pinned })
	u.Cost.Tokens = w.Measure.Tokens()
	prunes, _ := w.Staleness.next()
	for _, p := range prunes {
		tokens := w.History.CountBlocks(p.Gone) - w.History.CountBlocks(p.Left)
		u.Cost.Tokens -= w.Measure.ToProviderTokens(tokens)
		u.Leaves = append(u.Leaves, Prune{Kind: p.Kind, Subject: p.Subject, Paths: p.Paths, Reason: p.Reason, Tokens: tokens})
	}
	return u
}
