package cacheaware

import (
	"slices"

	"agent/internal/llm/vendor"
)

const (
	// debt is how far the cost with pruning may temporarily exceed the cost without it. It is a share
	// of the cost of all requests so far. Without it, the first pruning pass could never pay for
	// itself.
	debt = 0.02
	// unquoted is the part of debt that may not be spent on texts that an edit may quote. Without it,
	// rereading one text of the recorded sessions costs 2.7 %. With all of the debt, nine texts cost
	// 9.7 %.
	unquoted = 0.0075
	// inexact is the part of debt that is reserved for inexact sizes. The sizes of the parts of a call
	// do not exactly add up to the size of the call. The difference appears when some parts are pruned.
	// In generated sessions of a few requests it was 0.001.
	inexact = 0.0015
	// inHand is the number of faults that the bank must be able to pay for when text that an edit may
	// quote is pruned. A fault costs another request, plus faultTokens of content that is read again.
	inHand = 0.25
	// inHandEach is the number of faults for each such text, at a read price of 1. After a plan, edits
	// quote the many files that were read before the plan. A request that reads a file again costs in
	// proportion to the read price. Without inHandEach, at one point of train-03 the cost was 1.081 of
	// the cost without pruning, at the prices 0.25 and 1.
	inHandEach  = 0.14
	faultTokens = 2000
)

// Account compares the amount spent with the cost without pruning, in tokens at the full price of
// input.
type Account struct {
	None, Spent float64
	// Tokens is the number of input tokens that pruning removed from the requests.
	Tokens int
}

// A RequestCost contains the cost of one request, and the cost of the same request if nothing had ever
// been pruned.
type RequestCost struct {
	// Request is the number of the request, from 1.
	Request int
	// Tokens is the size of the request, and All its size without pruning.
	Tokens, All int
	// Spent is the cost of the request and None its cost without pruning, in tokens at the full
	// price of input.
	Spent, None float64
	// Cold is set if nothing of the request was cached.
	Cold bool
	// Again lists the paths of the files that were read again for the request.
	Again []string
}

// account contains the running comparison, and the state of the provider's cache after the latest
// request.
type account struct {
	conversation *conversation
	Account
	bills []RequestCost
	// sent is the number of units of the latest request. all is the number of its tokens that would be
	// in the provider's cache if nothing had ever been pruned.
	sent, all int
	sentOnce  bool
	// kept is the number of units at the start that have not changed since the latest request. anchors
	// lists the ends of the prefixes in a cache of the kind CacheMarks, in the order of the
	// conversation.
	kept    int
	anchors []anchor
}

// addBill adds the cost of a request that was sent, and makes the request the latest one.
func (a *account) addBill(m RequestFacts) {
	a.begin(m)
	cached, all := a.cachedTokens(m, a.kept), a.cachedOfAll(m)
	if m.Reported {
		found, foundOfAll := a.corrected(m, cached, all)
		if a.kept == a.sent {
			all = foundOfAll // after a change of earlier content, the report shows the effect of that change alone
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

// corrected returns the cached tokens of a request according to the provider's report. For the request
// without pruning, it returns the tokens corrected by the same ratio.
func (a *account) corrected(m RequestFacts, cached, all int) (found, foundOfAll int) {
	total, unpruned := m.Head+a.conversation.total, m.Head+a.conversation.unpruned
	found = int(m.Found * float64(total))
	if cached == 0 {
		return found, int(m.Found * float64(unpruned))
	}
	return found, min(int(float64(all)*float64(found)/float64(cached)), unpruned)
}

func (a *account) bill(m RequestFacts, cached, all int) RequestCost {
	total := m.Head + a.conversation.total
	if a.conversation.total == a.conversation.unpruned {
		all = cached // nothing was pruned, so both are the same request
	}
	return RequestCost{
		Request: a.conversation.nextRequest(), Tokens: total, All: m.Head + a.conversation.unpruned,
		Spent: cost(m, cached, total), None: cost(m, all, m.Head+a.conversation.unpruned), Cold: m.Cold || !a.sentOnce, Again: a.conversation.again,
	}
}

// touch records that a unit changes. The provider's cache then contains the conversation only up to
// that unit.
func (a *account) touch(unit int) {
	a.kept = min(a.kept, unit)
	a.anchors = slices.DeleteFunc(a.anchors, func(held anchor) bool { return held.units > unit })
}

// begin continues a conversation whose requests another process has sent. Everything before the latest
// reply counts as cached, unless m.Cold is set. It does nothing once this engine has sent a request.
func (a *account) begin(m RequestFacts) {
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

// cachedTokens returns how many tokens of the next request are in the provider's cache, if the first
// kept units have not changed.
func (a *account) cachedTokens(m RequestFacts, kept int) int {
	if !a.sentOnce || m.Cold {
		return 0
	}
	return a.foundTokens(m, kept)
}

func cost(m RequestFacts, cached, total int) float64 {
	p := m.Price.at(total)
	return float64(cached)*p.Read + float64(total-cached)*p.Write
}

// cachedOfAll returns how many tokens of the next request would be in the provider's cache if nothing
// had ever been pruned.
func (a *account) cachedOfAll(m RequestFacts) int {
	if !a.sentOnce || m.Cold || m.Cache.Kind == vendor.CacheNone {
		return 0
	}
	return m.Cache.Whole(m.Head + a.all)
}

// bank returns how much more the next request may cost while the amount spent stays at or below the
// cost without pruning. newSaved counts the tokens that are pruned before any request contains them, so
// the request excludes them.
func (a *account) bank(m RequestFacts, newSaved float64) float64 {
	none := a.noneNext(m)
	total := m.Head + a.conversation.total
	uncut := cost(m, a.cachedTokens(m, a.sent), total-int(newSaved))
	return none - a.Spent - uncut + (debt-inexact)*none
}

// noneNext returns the cost without pruning, including the next request.
func (a *account) noneNext(m RequestFacts) float64 {
	return a.None + cost(m, a.cachedOfAll(m), m.Head+a.conversation.unpruned)
}

// faults returns the amount that the bank reserves for edits that may quote one of the given number of
// pruned texts. It also returns the part of the debt that may not be spent on texts that an edit may
// quote.
func (a *account) faults(m RequestFacts, texts int) float64 {
	n := inHand
	if m.Price.Read < m.Price.Write { // otherwise pruning does not change the price of a request
		n = max(n, inHandEach*m.Price.Read*float64(texts))
	}
	return unquoted*a.noneNext(m) + n*(m.Price.Read*float64(m.Head+a.conversation.total)+m.Price.Write*faultTokens)
}
