package cacheaware

import "slices"

const (
	// debt is the share of what sending everything has cost so far by which the
	// bank may be overdrawn: without it nothing could ever begin.
	debt = 0.0075
	// inexact is the part of it that is kept for sizes: those of the parts of a call do not
	// quite add up to that of the call, which shows when some of them have gone. In generated
	// sessions of a few requests it came to 0.001.
	inexact = 0.0015
	// inHand is how many faults the bank must be able to pay for when a cut takes what an
	// edit may quote: another request, and faultTokens of content read again.
	inHand      = 0.25
	faultTokens = 2000
)

// Account compares what was spent with what sending everything would have cost, in
// tokens at the full price of input.
type Account struct {
	None, Spent float64
	// Tokens is how many input tokens fewer were sent.
	Tokens int
}

// account is the running comparison, and what the latest request left in the
// provider's cache.
type account struct {
	Account
	// sent is the number of units of the latest request, unpruned the tokens that would
	// be held of the request with everything.
	sent, unpruned int
	sentOnce       bool
	// kept is the number of units at the start that nothing has changed since, anchors
	// what a provider finds by marks, the newest last.
	kept    int
	anchors []anchor
}

// Account is what was spent so far, and what sending everything would have cost.
func (e *Engine) Account() Account { return e.account.Account }

// Sent notes that the request was sent, and settles what it cost.
func (e *Engine) Sent(m Moment) {
	e.begin(m)
	a := &e.account
	cached := e.cached(m, a.kept)
	if m.Reported {
		cached = int(m.Found * float64(m.Head+e.total))
	}
	b := e.bill(m, cached)
	e.bills, e.again = append(e.bills, b), nil
	a.None += b.None
	a.Spent += b.Spent
	e.mark(m)
	a.Tokens += e.unpruned - e.total
	a.sent, a.kept, a.unpruned, a.sentOnce = len(e.units), len(e.units), e.unpruned, true
	if n := len(a.anchors); n > 0 {
		for _, u := range e.units[a.anchors[n-1].units:] {
			a.unpruned -= u.full // behind the latest mark
		}
	}
}

// touch notes that a unit changes: what was held of the conversation ends before it.
func (e *Engine) touch(unit int) {
	a := &e.account
	a.kept = min(a.kept, unit)
	a.anchors = slices.DeleteFunc(a.anchors, func(held anchor) bool { return held.units > unit })
}

// begin continues a conversation that was sent before by another program: what is in
// front of the latest reply is in the cache, if anything is.
func (e *Engine) begin(m Moment) {
	a := &e.account
	if a.sentOnce || m.Cold {
		return
	}
	a.sentOnce, a.sent, a.kept, a.unpruned = true, e.answered, min(a.kept, e.answered), 0
	for i := range e.answered {
		a.unpruned += e.units[i].full
	}
	if m.Cache.Kind == CacheMarks {
		a.anchors = []anchor{{e.answered, m.At}}
	}
}

// cached is how many tokens of the next request the provider holds, if the first
// units up to kept are as they were.
func (e *Engine) cached(m Moment, kept int) int {
	if !e.account.sentOnce || m.Cold {
		return 0
	}
	return e.found(m, kept)
}

func cost(m Moment, cached, total int) float64 {
	return float64(cached)*m.Price.Read + float64(total-cached)*m.Price.Write
}

// costOfAll is what the next request would cost if nothing had ever been pruned.
func (e *Engine) costOfAll(m Moment) float64 {
	cached := 0
	if e.account.sentOnce && !m.Cold && m.Cache.Kind != CacheNone {
		cached = m.Cache.whole(m.Head + e.account.unpruned)
	}
	return cost(m, cached, m.Head+e.unpruned)
}

// bank is by how much the next request may get dearer, so that the sum of what
// was spent stays at or below what sending everything would have cost. What is new
// and leaves before it was ever sent, newSaved, is not part of the request any more.
func (e *Engine) bank(m Moment, newSaved float64) float64 {
	none := e.account.None + e.costOfAll(m)
	total := m.Head + e.total
	uncut := cost(m, e.cached(m, e.account.sent), total) - m.Price.Write*newSaved
	return none - e.account.Spent - uncut + (debt-inexact)*none
}

// faults is what the bank keeps for what an edit may miss.
func (e *Engine) faults(m Moment) float64 {
	return inHand * (m.Price.Read*float64(m.Head+e.total) + m.Price.Write*faultTokens)
}
