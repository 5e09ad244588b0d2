package cacheaware

import (
	"math"
	"slices"
	"time"

	"agent/internal/history"
	"agent/internal/llm/vendor"
	"agent/internal/toolspec"
)

// Options holds the dependencies of an Engine.
type Options struct {
	// Tools returns the traits that a tool declares, or zero traits for an unknown tool.
	Tools func(name string) toolspec.Traits
	// Root is the absolute folder of relative paths in entries that name no workspace.
	Root string
	// Numbered reports whether pointers contain the number of their content in the ledger. Nil means
	// that they do not.
	Numbered func() bool
	// Counter returns the token counter that the history uses.
	Counter func() history.Counter
}

// An Engine follows one conversation and decides which parts may be pruned.
type Engine struct {
	conversation *conversation
	account      *account
	learned      learned
	// latest is the latest answered request.
	latest Request
	// rebuilding is set while Rebuild adds entries whose requests are already settled.
	rebuilding bool
}

// New returns an engine for an empty conversation.
func New(o Options) *Engine {
	c := &conversation{
		Options:  o,
		open:     map[string]*fact{},
		files:    map[string]*file{},
		byKey:    map[string][]*fact{},
		bySource: map[string]*fact{},
		words:    vocabulary{},
		human:    -1,
	}
	return &Engine{conversation: c, account: &account{conversation: c, kept: math.MaxInt}}
}

// Add adds an entry that was appended to the conversation.
func (e *Engine) Add(entry *history.Content) {
	if entry.Speaker == history.AI && !e.rebuilding {
		e.settleRequest(entry)
	}
	e.conversation.append(entry)
}

// settleRequest adds the request of a reply to the account, as stored in the reply's metadata.
func (e *Engine) settleRequest(reply *history.Content) {
	r, ok := history.MetaOf[Request](reply, MetaRequest)
	if !ok {
		return
	}
	m := r.Facts()
	e.account.begin(m)
	if e.account.sentOnce {
		m = e.learned.learn(e.latest, r, m, m.Head+e.conversation.total, e.account.foundTokens(m, e.account.kept))
	}
	e.account.addBill(m)
	e.latest = r
	e.conversation.setPins(r.Pins)
}

// Sent records that the request was sent, and adds its cost to the account.
func (e *Engine) Sent(m RequestFacts) { e.account.addBill(m) }

// Latest returns the latest request that was answered, or false before the first.
func (e *Engine) Latest() (Request, bool) { return e.latest, e.latest.At != 0 }

// NothingSent reports whether no request has been sent since the engine began or was reset.
func (e *Engine) NothingSent() bool { return !e.account.sentOnce }

// Account returns the cost of the requests so far, and their cost without pruning.
func (e *Engine) Account() Account { return e.account.Account }

// RequestCosts returns the costs of the requests so far, in order.
func (e *Engine) RequestCosts() []RequestCost { return e.account.bills }

// NextCost returns the cost of the next request if the conversation does not change.
func (e *Engine) NextCost(m RequestFacts) RequestCost {
	return e.account.bill(m, e.account.cachedTokens(m, e.account.kept), e.account.cachedOfAll(m))
}

// Forecast returns the plan for a request sent now, the units that it would still contain although they
// could be pruned, and its cost. It leaves the account unchanged.
func (e *Engine) Forecast(m RequestFacts) (Plan, []PrunablePart, RequestCost) {
	before := *e.account
	defer func() { *e.account = before }()
	plan := e.Plan(m)
	bill := e.NextCost(m)
	bill.Spent += plan.Paid
	for _, c := range plan.Changes {
		bill.Tokens -= c.Tokens
	}
	held := slices.DeleteFunc(e.PrunableParts("", m), func(h PrunablePart) bool {
		return !h.Waiting && !h.Pinned || slices.ContainsFunc(plan.Changes, func(c Change) bool { return c.unit == h.unit })
	})
	return plan, held, bill
}

// CorrectCache returns c, corrected by the provider's reports so far.
func (e *Engine) CorrectCache(c vendor.Cache) vendor.Cache { return e.learned.believe(c) }

// TTLTestPauses returns the two pauses from which the lifetime of a cache is estimated. The first is
// the longest after which most of a prefix was still cached. The second is the shortest after which
// nothing was. 0 means none.
func (e *Engine) TTLTestPauses() [2]time.Duration {
	return [2]time.Duration{e.learned.alive, e.learned.dead}
}

// HasShortfalls reports whether the provider finds less than its kind of cache should. The engine then
// relies only on the end of the latest request.
func (e *Engine) HasShortfalls() bool { return e.learned.short >= shortfalls }

// CacheFails reports whether the provider's cache repeatedly found nothing of a prefix that it should
// have contained.
func (e *Engine) CacheFails() bool { return e.learned.missed >= misses }
