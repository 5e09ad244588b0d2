package window

import "agent/internal/compression/cacheaware"

// Bills are what the requests so far cost, with sizes and costs in tokens as the provider
// counts them; none for a strategy that keeps no account. Shortfalls says that the
// provider finds less than its kind of cache should.
func (w *Window) Bills() (bills []cacheaware.Bill, shortfalls bool) {
	if !w.followed() {
		return nil, false
	}
	for _, b := range w.pruning.engine.Bills() {
		bills = append(bills, w.billed(b))
	}
	return bills, w.pruning.engine.Shortfalls()
}

// Next is what the next request would cost as the context is; false for a strategy that
// keeps no account.
func (w *Window) Next() (cacheaware.Bill, bool) {
	if !w.followed() {
		return cacheaware.Bill{}, false
	}
	return w.billed(w.pruning.engine.Next(w.moment())), true
}

// billed is a bill in the provider's tokens.
func (w *Window) billed(b cacheaware.Bill) cacheaware.Bill {
	b.Tokens, b.All = w.scaled(b.Tokens), w.scaled(b.All)
	b.Spent, b.None = float64(w.scaled(int(b.Spent))), float64(w.scaled(int(b.None)))
	return b
}
