package window

import (
	"slices"

	"agent/internal/compression/cacheaware"
	"agent/internal/history"
)

// Bills are what the requests so far cost, with sizes and costs in tokens as the provider
// counts them; none for a strategy that keeps no account. Shortfalls says that the
// provider finds less than its kind of cache should.
func (p *pruning) Bills() (bills []cacheaware.Bill, shortfalls bool) {
	if !p.followed() {
		return nil, false
	}
	for _, b := range p.engine.Bills() {
		bills = append(bills, p.billed(b))
	}
	return bills, p.engine.Shortfalls()
}

// Next is what the next request would cost as the context is; false for a strategy that
// keeps no account.
func (p *pruning) Next() (cacheaware.Bill, bool) {
	if !p.followed() {
		return cacheaware.Bill{}, false
	}
	return p.billed(p.engine.Next(p.moment())), true
}

// Upcoming is the next request as it would be sent now.
type Upcoming struct {
	// Bill is its size and what it costs once Leaves have left; without costs for a strategy
	// that keeps no account.
	Bill cacheaware.Bill
	// Limit is the window, Due the size at which compression is due.
	Limit, Due int
	// Leaves is what pruning takes before it, with sizes by our own count, and Cut the price
	// of that, nil for a strategy that does not ask.
	Leaves []Prune
	Cut    *history.Cut
	// Held is what could leave and stays.
	Held []Held
}

// Upcoming says what would leave before the next request, and what that would cost.
func (w *Window) Upcoming() Upcoming {
	u := Upcoming{Limit: w.Size(), Due: w.Due()}
	if w.followed() {
		plan, held, bill := w.engine.Foresee(w.moment())
		u.Bill = w.billed(bill)
		if len(plan.Changes) > 0 {
			cut := w.cutOf(plan)
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

// billed is a bill in the provider's tokens.
func (p *pruning) billed(b cacheaware.Bill) cacheaware.Bill {
	b.Tokens, b.All = p.Scaled(b.Tokens), p.Scaled(b.All)
	b.Spent, b.None = float64(p.Scaled(int(b.Spent))), float64(p.Scaled(int(b.None)))
	return b
}
