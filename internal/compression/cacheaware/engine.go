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
	// Tools returns the traits that the named tool declares, or zero traits for an unknown tool.
	Tools func(name string) toolspec.Traits
	// Root is the absolute folder of relative paths in entries that name no workspace.
	Root string
	// Numbered reports whether pointers name the number of their content in the record. Nil means
	// that they do not.
	Numbered func() bool
	// Counter returns the counter of tokens that the history uses.
	Counter func() history.Counter
}

// An Engine follows one conversation and decides which parts may leave it.
type Engine struct {
	conversation *conversation
	account      *account
	learned      learned
	// latest is the latest request that was answered.
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

// settleRequest adds the request of a reply to the account, as recorded in the reply's metadata.
func (e *Engine) settleRequest(reply *history.Content) {
	r, ok := history.MetaOf[Request](reply, MetaRequest)
	if !ok {
		return
	}
	m := r.Moment()
	e.account.begin(m)
	if e.account.sentOnce {
		m = e.learned.learn(e.latest, r, m, m.Head+e.conversation.total, e.account.foundTokens(m, e.account.kept))
	}
	e.account.addBill(m)
	e.latest = r
	e.conversation.setPins(r.Pins)
}

// Sent notes that the request was sent, and settles its cost.
func (e *Engine) Sent(m Moment) { e.account.addBill(m) }

// Latest returns the latest request that was answered, or false before the first.
func (e *Engine) Latest() (Request, bool) { return e.latest, e.latest.At != 0 }

// NothingSent reports whether no request has been sent since the engine began, or began again.
func (e *Engine) NothingSent() bool { return !e.account.sentOnce }

// Account returns the cost of the requests so far, and their cost without pruning.
func (e *Engine) Account() Account { return e.account.Account }

// RequestCosts returns the bills of the requests so far, in order.
func (e *Engine) RequestCosts() []RequestCost { return e.account.bills }

// Next returns the bill of the next request if the conversation stays as it is.
func (e *Engine) Next(m Moment) RequestCost {
	return e.account.bill(m, e.account.cachedTokens(m, e.account.kept), e.account.cachedOfAll(m))
}

// Forecast returns the plan for the next request if it was sent now, the units held back then, and
// the bill. It leaves the account unchanged.
func (e *Engine) Forecast(m Moment) (Plan, []HeldPart, RequestCost) {
	before := *e.account
	defer func() { *e.account = before }()
	plan := e.Plan(m)
	bill := e.Next(m)
	bill.Spent += plan.Paid
	for _, c := range plan.Changes {
		bill.Tokens -= c.Tokens
	}
	held := slices.DeleteFunc(e.HeldParts("", m), func(h HeldPart) bool {
		return !h.Waiting && !h.Pinned || slices.ContainsFunc(plan.Changes, func(c Change) bool { return c.unit == h.unit })
	})
	return plan, held, bill
}

// CorrectCache returns c, corrected by the provider's reports so far.
func (e *Engine) CorrectCache(c vendor.Cache) vendor.Cache { return e.learned.believe(c) }

// LifeTestPauses returns the two pauses that teach the life of a cache: the longest after which most of a
// prefix was still held, and the shortest after which nothing was; 0 for none.
func (e *Engine) LifeTestPauses() [2]time.Duration {
	return [2]time.Duration{e.learned.alive, e.learned.dead}
}

// Shortfalls reports whether the provider finds less than its kind of cache should, so that the
// engine counts only on the end of the latest request.
func (e *Engine) Shortfalls() bool { return e.learned.short >= shortfalls }

// CacheFails reports whether the provider's cache held nothing of a prefix that it should have
// held, several times in a row.
func (e *Engine) CacheFails() bool { return e.learned.missed >= misses }
