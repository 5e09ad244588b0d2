package window

import "agent/internal/compression/cacheaware"

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

// billed is a bill in the provider's tokens.
func (p *pruning) billed(b cacheaware.Bill) cacheaware.Bill {
	b.Tokens, b.All = p.Scaled(b.Tokens), p.Scaled(b.All)
	b.Spent, b.None = float64(p.Scaled(int(b.Spent))), float64(p.Scaled(int(b.None)))
	return b
}
