package cacheaware

import (
	"math"
	"slices"
	"time"

	"agent/internal/history"
	"agent/internal/traits"
)

// Options is what an Engine is made of.
type Options struct {
	// Tools returns what the tool of that name declares; the zero traits for an unknown one.
	Tools func(name string) traits.Traits
	// Root is what relative paths mean in entries that name no workspace; absolute.
	Root string
	// Counter counts tokens, as the history does.
	Counter func() history.Counter
}

// Engine follows one conversation and says what may leave it.
type Engine struct {
	*conversation
	account *account
	learned learned
	// latest is the latest request that was answered.
	latest Request
	// rebuilding is set while entries are added that were settled before.
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

// Add takes an entry that was appended to the conversation.
func (e *Engine) Add(entry *history.Content) {
	if entry.Speaker == history.AI && !e.rebuilding {
		e.settle(entry)
	}
	e.append(entry)
}

// settle takes what the reply says of its request into the account.
func (e *Engine) settle(reply *history.Content) {
	r, ok := history.MetaOf[Request](reply, MetaRequest)
	if !ok {
		return
	}
	m := r.Moment()
	e.account.begin(m)
	if e.account.sentOnce {
		m = e.learned.learn(e.latest, r, m, m.Head+e.total, e.account.found(m, e.account.kept))
	}
	e.account.settle(m)
	e.latest = r
	e.setPins(r.Pins)
}

// Sent notes that the request was sent, and settles what it cost.
func (e *Engine) Sent(m Moment) { e.account.settle(m) }

// Latest is the latest request that was answered; false before the first.
func (e *Engine) Latest() (Request, bool) { return e.latest, e.latest.At != 0 }

// Fresh reports that no request was sent since the engine began, or began anew.
func (e *Engine) Fresh() bool { return !e.account.sentOnce }

// Account is what was spent so far, and what sending everything would have cost.
func (e *Engine) Account() Account { return e.account.Account }

// Bills lists what the requests so far cost, in order.
func (e *Engine) Bills() []Bill { return e.account.bills }

// Next is what the next request would cost as the conversation is.
func (e *Engine) Next(m Moment) Bill {
	return e.account.bill(m, e.account.cached(m, e.account.kept))
}

// Foresee is what would leave before the next request if it was sent now, what is held back
// then, and what it would cost. Nothing is noted.
func (e *Engine) Foresee(m Moment) (Plan, []Held, Bill) {
	before := *e.account
	defer func() { *e.account = before }()
	plan := e.Plan(m)
	bill := e.Next(m)
	bill.Spent += plan.Paid
	for _, c := range plan.Changes {
		bill.Tokens -= c.Tokens
	}
	held := slices.DeleteFunc(e.Held("", m), func(h Held) bool {
		return !h.Waiting && !h.Pinned || slices.ContainsFunc(plan.Changes, func(c Change) bool { return c.unit == h.unit })
	})
	return plan, held, bill
}

// Believe is what is believed of a provider's cache after what it has reported.
func (e *Engine) Believe(c Cache) Cache { return e.learned.believe(c) }

// Pauses are what a life is learned from: the longest pause after which most was still held,
// and the shortest after which nothing was; 0 for none.
func (e *Engine) Pauses() [2]time.Duration { return [2]time.Duration{e.learned.alive, e.learned.dead} }

// Shortfalls reports that a provider finds less than its kind of cache should, so that
// only the end of the latest request is counted on.
func (e *Engine) Shortfalls() bool { return e.learned.short >= shortfalls }

// CacheFails reports that the provider's cache held nothing of what it should have,
// several times in a row.
func (e *Engine) CacheFails() bool { return e.learned.missed >= misses }
