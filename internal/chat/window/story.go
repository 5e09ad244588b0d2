package window

import (
	"slices"

	"agent/internal/compression"
	"agent/internal/history"
)

// Bills returns the bills of the requests so far, in tokens as the provider counts them, or none
// for a strategy that keeps no account. shortfalls is set if the provider's cache returns less
// than a cache of its kind should.
func (p *pruning) Bills() (bills []compression.Bill, shortfalls bool) {
	if !p.followed() {
		return nil, false
	}
	for _, b := range p.engine.Bills() {
		bills = append(bills, p.billed(b))
	}
	return bills, p.engine.Shortfalls()
}

// Next returns the bill of the next request if the context stays as it is, or false for a
// strategy that keeps no account.
func (p *pruning) Next() (compression.Bill, bool) {
	if !p.followed() {
		return compression.Bill{}, false
	}
	return p.billed(p.engine.Next(p.moment())), true
}

// Upcoming describes the next request as it would be sent now.
type Upcoming struct {
	// Bill holds the size and the cost of the request once Leaves have left. It has no costs for
	// a strategy that keeps no account.
	Bill compression.Bill
	// Limit is the window, Due the size at which compression is due.
	Limit, Due int
	// Leaves lists the content that pruning takes out before the request, with sizes by our own
	// count. Cut is the cost of that, or nil for a strategy that does not weigh prices.
	Leaves []Prune
	Cut    *history.Cut
	// Held lists the content that could leave and stays.
	Held []Held
}

// Upcoming describes the next request, with the content that would leave before it and the cost.
func (w *Window) Upcoming() Upcoming {
	u := Upcoming{Limit: w.Size(), Due: w.Due()}
	if w.followed() {
		plan, held, bill := w.engine.Foresee(w.moment())
		u.Bill = w.billed(bill)
		if len(plan.Changes) > 0 {
			cut := w.engine.CutOf(plan)
			u.Cut = &cut
		}
		for _, c := range plan.Changes {
			u.Leaves = append(u.Leaves, Prune{Kind: history.PruneKind(c.Why), Subject: c.Subject, Paths: c.Paths, Reason: c.Kind + ", " + c.Reason(), Tokens: c.Tokens})
		}
		u.Held = w.scaledHeld(held)
		return u
	}
	u.Held = slices.DeleteFunc(w.Held(""), func(h Held) bool { return !h.Pinned })
	u.Bill.Tokens = w.Tokens()
	prunes, _ := w.density()
	for _, p := range prunes {
		tokens := w.History.CountBlocks(p.Gone) - w.History.CountBlocks(p.Left)
		u.Bill.Tokens -= w.Scaled(tokens)
		u.Leaves = append(u.Leaves, Prune{Kind: p.Kind, Subject: p.Subject, Paths: p.Paths, Reason: p.Reason, Tokens: tokens})
	}
	return u
}

// billed converts a bill to the provider's tokens.
func (p *pruning) billed(b compression.Bill) compression.Bill {
	b.Tokens, b.All = p.Scaled(b.Tokens), p.Scaled(b.All)
	b.Spent, b.None = float64(p.Scaled(int(b.Spent))), float64(p.Scaled(int(b.None)))
	return b
}
