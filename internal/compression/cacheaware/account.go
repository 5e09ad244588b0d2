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
	inHand = 0.25
	// inHandEach is how many for each such text, at a read price of 1: after a plan, edits
	// quote the many files that were read before it, and each request that reads one again
	// is as dear as the price of reading. Without it 1.081 was spent at one point of
	// train-03 at the prices 0.25 and 1.
	inHandEach  = 0.14
	faultTokens = 2000
)

// Account compares what was spent with what sending everything would have cost, in
// tokens at the full price of input.
type Account struct {
	None, Spent float64
	// Tokens is how many input tokens fewer were sent.
	Tokens int
}

// Bill is what one request cost, beside what it would have cost if nothing had ever been
// pruned.
type Bill struct {
	// Request is its number, from 1.
	Request int
	// Tokens is its size, All what it would have been.
	Tokens, All int
	// Spent and None are the costs, in tokens at the full price of input.
	Spent, None float64
	// Cold says that nothing of it was cached.
	Cold bool
	// Again are the files that had to be read again for it, by their paths.
	Again []string
}

// account is the running comparison, and what the latest request left in the
// provider's cache.
type account struct {
	*conversation
	Account
	bills []Bill
	// sent is the number of units of the latest request, all the tokens that would
	// be held of the request with everything.
	sent, all int
	sentOnce  bool
	// kept is the number of units at the start that nothing has changed since, anchors
	// what a provider finds by marks, the newest last.
	kept    int
	anchors []anchor
}

// settle notes that the request was sent, and what it cost.
func (a *account) settle(m Moment) {
	a.begin(m)
	cached := a.cached(m, a.kept)
	if m.Reported {
		cached = int(m.Found * float64(m.Head+a.total))
	}
	b := a.bill(m, cached)
	a.bills, a.again = append(a.bills, b), nil
	a.None += b.None
	a.Spent += b.Spent
	a.mark(m)
	a.Tokens += a.unpruned - a.total
	a.sent, a.kept, a.all, a.sentOnce = len(a.units), len(a.units), a.unpruned, true
	if n := len(a.anchors); n > 0 {
		for _, u := range a.units[a.anchors[n-1].units:] {
			a.all -= u.full // behind the latest mark
		}
	}
}

func (a *account) bill(m Moment, cached int) Bill {
	total := m.Head + a.total
	return Bill{
		Request: a.Request(), Tokens: total, All: m.Head + a.unpruned,
		Spent: cost(m, cached, total), None: a.costOfAll(m), Cold: m.Cold || !a.sentOnce, Again: a.again,
	}
}

// touch notes that a unit changes: what was held of the conversation ends before it.
func (a *account) touch(unit int) {
	a.kept = min(a.kept, unit)
	a.anchors = slices.DeleteFunc(a.anchors, func(held anchor) bool { return held.units > unit })
}

// begin continues a conversation that was sent before by another program: what is in
// front of the latest reply is in the cache, if anything is.
func (a *account) begin(m Moment) {
	if a.sentOnce || m.Cold {
		return
	}
	a.sentOnce, a.sent, a.kept, a.all = true, a.answered, min(a.kept, a.answered), 0
	for i := range a.answered {
		a.all += a.units[i].full
	}
	if m.Cache.Kind == CacheMarks {
		a.anchors = []anchor{{a.answered, m.At}}
	}
}

// cached is how many tokens of the next request the provider holds, if the first
// units up to kept are as they were.
func (a *account) cached(m Moment, kept int) int {
	if !a.sentOnce || m.Cold {
		return 0
	}
	return a.found(m, kept)
}

func cost(m Moment, cached, total int) float64 {
	return float64(cached)*m.Price.Read + float64(total-cached)*m.Price.Write
}

// costOfAll is what the next request would cost if nothing had ever been pruned.
func (a *account) costOfAll(m Moment) float64 {
	cached := 0
	if a.sentOnce && !m.Cold && m.Cache.Kind != CacheNone {
		cached = m.Cache.whole(m.Head + a.all)
	}
	return cost(m, cached, m.Head+a.unpruned)
}

// bank is by how much the next request may get dearer, so that the sum of what
// was spent stays at or below what sending everything would have cost. What is new
// and leaves before it was ever sent, newSaved, is not part of the request any more.
func (a *account) bank(m Moment, newSaved float64) float64 {
	none := a.None + a.costOfAll(m)
	total := m.Head + a.total
	uncut := cost(m, a.cached(m, a.sent), total) - m.Price.Write*newSaved
	return none - a.Spent - uncut + (debt-inexact)*none
}

// faults is what the bank keeps for what edits may miss, of so many texts.
func (a *account) faults(m Moment, texts int) float64 {
	n := inHand
	if m.Price.Read < m.Price.Write { // else every request is as dear, with or without a cut
		n = max(n, inHandEach*m.Price.Read*float64(texts))
	}
	return n * (m.Price.Read*float64(m.Head+a.total) + m.Price.Write*faultTokens)
}
