package cacheaware

import (
	"slices"

	"agent/internal/llm/vendor"
)

const (
	// debt is the overdraft that pruning may use before it has saved anything, as a share of the
	// cost of all requests so far. Without it the first pruning pass could never pay for itself.
	debt = 0.02
	// unquoted is the part of debt that pays for no text that an edit may quote. Without it one text
	// of the recorded sessions, read again, costs 2.7 %; with all of the debt nine texts cost 9.7 %.
	unquoted = 0.0075
	// inexact is the part of debt that is reserved for inexact sizes. The sizes of the parts of a
	// call do not quite add up to the size of the call, which shows when some parts have left. In
	// generated sessions of a few requests the difference came to 0.001.
	inexact = 0.0015
	// inHand is the number of faults that the bank must be able to pay for when a cut takes text
	// that an edit may quote. A fault costs another request, and faultTokens of content that is
	// read again.
	inHand = 0.25
	// inHandEach is the number of faults for each such text, at a read price of 1. After a plan,
	// edits quote the many files that were read before the plan, and a request that reads a file
	// again costs in proportion to the price of reading. Without inHandEach, 1.081 of the cost of
	// sending everything was spent at one point of train-03, at the prices 0.25 and 1.
	inHandEach  = 0.14
	faultTokens = 2000
)

// Account compares the amount spent with the cost of sending everything, in tokens at the full
// price of input.
type Account struct {
	None, Spent float64
	// Tokens is the number of input tokens that pruning kept out of the requests.
	Tokens int
}

// A RequestCost holds the cost of one request, beside the cost of the same request if nothing had ever
// been pruned.
type RequestCost struct {
	// Request is the number of the request, from 1.
	Request int
	// Tokens is the size of the request, All its size without pruning.
	Tokens, All int
	// Spent is the cost of the request and None its cost without pruning, in tokens at the full
	// price of input.
	Spent, None float64
	// Cold is set if nothing of the request was cached.
	Cold bool
	// Again lists the paths of the files that had to be read again for the request.
	Again []string
}

// account keeps the running comparison, and the state in which the latest request left the
// provider's cache.
type account struct {
	conversation *conversation
	Account
	bills []RequestCost
	// sent is the number of units of the latest request. all is the number of tokens of the
	// latest request that the provider would hold if nothing had ever been pruned.
	sent, all int
	sentOnce  bool
	// kept is the number of units at the start that have not changed since the latest request.
	// anchors lists the ends of the prefixes that a provider of the kind CacheMarks holds, in the
	// order of the conversation.
	kept    int
	anchors []anchor
}

// addBill adds the bill of a request that was sent, and makes the request the latest one.
func (a *account) addBill(m Moment) {
	a.begin(m)
	cached, all := a.cachedTokens(m, a.kept), a.cachedOfAll(m)
	if m.Reported {
		found, foundOfAll := a.corrected(m, cached, all)
		if a.kept == a.sent {
			all = foundOfAll // after a change of the past, the report is about that change alone
		}
		cached = found
	}
	b := a.bill(m, cached, all)
	a.bills, a.conversation.again = append(a.bills, b), nil
	a.None += b.None
	a.Spent += b.Spent
	a.mark(m)
	a.Tokens += a.conversation.unpruned - a.conversation.total
	a.sent, a.kept, a.all, a.sentOnce = len(a.conversation.units), len(a.conversation.units), a.conversation.unpruned, true
	if n := len(a.anchors); n > 0 {
		for _, u := range a.conversation.units[a.anchors[n-1].units:] {
			a.all -= u.full // the entry is after the latest mark
		}
	}
}

// corrected returns the cached tokens of a request by the provider's report, and those of the request
// without pruning, corrected by the same share.
func (a *account) corrected(m Moment, cached, all int) (found, foundOfAll int) {
	total, unpruned := m.Head+a.conversation.total, m.Head+a.conversation.unpruned
	found = int(m.Found * float64(total))
	if cached == 0 {
		return found, int(m.Found * float64(unpruned))
	}
	return found, min(int(float64(all)*float64(found)/float64(cached)), unpruned)
}

func (a *account) bill(m Moment, cached, all int) RequestCost {
	total := m.Head + a.conversation.total
	if a.conversation.total == a.conversation.unpruned {
		all = cached // nothing was pruned, so that both are one request
	}
	return RequestCost{
		Request: a.conversation.nextRequest(), Tokens: total, All: m.Head + a.conversation.unpruned,
		Spent: cost(m, cached, total), None: cost(m, all, m.Head+a.conversation.unpruned), Cold: m.Cold || !a.sentOnce, Again: a.conversation.again,
	}
}

// touch notes that a unit changes. From now on the provider holds the conversation only up to
// that unit.
func (a *account) touch(unit int) {
	a.kept = min(a.kept, unit)
	a.anchors = slices.DeleteFunc(a.anchors, func(held anchor) bool { return held.units > unit })
}

// begin continues a conversation whose requests another program has sent: everything in front of
// the latest reply counts as cached, unless m.Cold is set. It does nothing once this engine has
// sent a request.
func (a *account) begin(m Moment) {
	if a.sentOnce || m.Cold {
		return
	}
	a.sentOnce, a.sent, a.kept, a.all = true, a.conversation.answered, min(a.kept, a.conversation.answered), 0
	for i := range a.conversation.answered {
		a.all += a.conversation.units[i].full
	}
	if m.Cache.Kind == vendor.CacheMarks {
		a.anchors = []anchor{{a.conversation.answered, m.At}}
	}
}

// cachedTokens returns how many tokens of the next request the provider holds, if the first kept units
// have not changed.
func (a *account) cachedTokens(m Moment, kept int) int {
	if !a.sentOnce || m.Cold {
		return 0
	}
	return a.foundTokens(m, kept)
}

func cost(m Moment, cached, total int) float64 {
	p := m.Price.at(total)
	return float64(cached)*p.Read + float64(total-cached)*p.Write
}

// cachedOfAll returns how many tokens of the next request the provider would hold if nothing had ever
// been pruned.
func (a *account) cachedOfAll(m Moment) int {
	if !a.sentOnce || m.Cold || m.Cache.Kind == vendor.CacheNone {
		return 0
	}
	return m.Cache.Whole(m.Head + a.all)
}

// bank returns how much dearer the next request may get if the sum spent is to stay at or below
// the cost of sending everything. newSaved counts the tokens that leave before any request has
// carried them; they are no part of the request any more.
func (a *account) bank(m Moment, newSaved float64) float64 {
	none := a.noneNext(m)
	total := m.Head + a.conversation.total
	uncut := cost(m, a.cachedTokens(m, a.sent), total-int(newSaved))
	return none - a.Spent - uncut + (debt-inexact)*none
}

// noneNext returns the cost of sending everything, including the next request.
func (a *account) noneNext(m Moment) float64 {
	return a.None + cost(m, a.cachedOfAll(m), m.Head+a.conversation.unpruned)
}

// faults returns the amount that the bank reserves for edits that may miss one of the given
// number of pruned texts, and the part of the debt that pays for no text that an edit may quote.
func (a *account) faults(m Moment, texts int) float64 {
	n := inHand
	if m.Price.Read < m.Price.Write { // otherwise a cut does not change the price of a request
		n = max(n, inHandEach*m.Price.Read*float64(texts))
	}
	return unquoted*a.noneNext(m) + n*(m.Price.Read*float64(m.Head+a.conversation.total)+m.Price.Write*faultTokens)
}
