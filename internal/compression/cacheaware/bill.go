package cacheaware

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

// Bills lists what the requests so far cost, in order.
func (e *Engine) Bills() []Bill { return e.bills }

// Next is what the next request would cost as the conversation is.
func (e *Engine) Next(m Moment) Bill { return e.bill(m, e.cached(m, e.account.kept)) }

func (e *Engine) bill(m Moment, cached int) Bill {
	total := m.Head + e.total
	return Bill{
		Request: e.Request(), Tokens: total, All: m.Head + e.unpruned,
		Spent: cost(m, cached, total), None: e.costOfAll(m), Cold: m.Cold || !e.account.sentOnce, Again: e.again,
	}
}
