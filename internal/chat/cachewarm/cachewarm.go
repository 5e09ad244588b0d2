// Package cachewarm decides when it pays to send a request only to keep a prompt in the provider's cache. It
// computes with prices, times and pauses, and sends no requests:
//
//	account.Sent(prefix.Read, cost)
//	if at, ok := account.Next(prefix, cachewarm.Work, pauses); ok {
//		// send the latest request again at this time, then call account.Refreshed
//	}
package cachewarm

import (
	"slices"
	"time"
)

// Wait is the reason why a conversation waits.
type Wait int

// String returns "work", "answer" or "message".
func (w Wait) String() string { return [...]string{"work", "answer", "message"}[w] }

// The reasons.
const (
	// WaitForWork means that the conversation waits for a command, an agent or a reply.
	WaitForWork Wait = iota
	// WaitForAnswer is the user's answer to a question.
	WaitForAnswer
	// WaitForMessage is the user's next message.
	WaitForMessage
)

// Limits of refreshes: how many a session may have, and how long a wait is covered.
const (
	mostRefreshes = 20
	longestWork   = time.Hour
	longestUser   = 30 * time.Minute
)

// leastGain is the least expected gain of a refresh, in USD.
const leastGain = 0.05

// lossShare is the share of the session cost that refreshes may lose while the conversation waits for
// the user.
const lossShare = 0.01

// A Prefix is a prompt in the provider's cache.
type Prefix struct {
	// Read is the cost of reading the prompt from the cache, and Write of writing it again, in USD.
	Read, Write float64
	// Life is the time for which the cache keeps the prompt after a use, or 0 if unknown.
	Life time.Duration
	// Used is the start of the latest request that used the prompt.
	Used time.Time
}

// RefreshTime returns the time of a refresh: after nine tenths of Life, but at least ten seconds before Life
// ends.
func (p Prefix) RefreshTime() time.Time {
	const early = 10 * time.Second
	return p.Used.Add(min(p.Life*9/10, p.Life-early))
}

// An Account sums up the cost of the requests of a session and the savings by refreshes, in USD. The
// zero value is ready to use.
type Account struct {
	// cost is the input cost of the requests. net is the savings by refreshes minus their cost.
	cost, net float64
	// Refreshes counts the refreshes of the session.
	Refreshes int
	// began is the start of the latest request, and thus of the wait. spent is the cost of the
	// refreshes since then.
	began time.Time
	spent float64
	// missed is set once a refresh missed the cache. The session then makes no more refreshes.
	missed bool
}

// RecordRequest records a request that started at a time, and its input cost.
func (a *Account) RecordRequest(at time.Time, cost float64) {
	a.cost += cost
	a.began, a.spent = at, 0
}

// NextRefresh returns the time of the next refresh. It returns false if no refresh pays before the next
// request.
func (a *Account) NextRefresh(p Prefix, wait Wait, pauses Pauses) (at time.Time, ok bool) {
	const leastLife = time.Minute
	if a.missed || a.Refreshes >= mostRefreshes || p.Life < leastLife {
		return at, false
	}
	at = p.RefreshTime()
	waited := at.Sub(a.began)
	// Refreshes during work cost at most the gain. While the conversation waits for the user, credit
	// limits the amount that refreshes may still lose.
	gain := p.Write - p.Read
	chance, limit, left := 1.0, longestWork, gain-a.spent
	if wait != WaitForWork {
		credit := lossShare*a.cost + a.net
		chance, limit, left = pauses.chance(waited, p.Life*9/10), longestUser, credit
	}
	return at, waited <= limit && p.Read <= left && chance*gain-p.Read >= leastGain
}

// RecordRefresh records the cost of a refresh, and whether the cache still contained the prefix.
func (a *Account) RecordRefresh(cost float64, held bool) {
	a.Refreshes++
	a.spent += cost
	a.net -= cost
	a.missed = a.missed || !held
}

// RecordSavings adds the amount that refreshes saved. It is called when the next request found the prefix in the
// cache.
func (a *Account) RecordSavings(saved float64) { a.net += saved }

// Pauses holds the latest pauses of a user, each from a request to the next message. If no message
// followed, the pause is Never.
type Pauses []time.Duration

// Never is the length of a pause that no message ended.
const Never = time.Duration(1<<63 - 1)

// fewPauses is the smallest number of pauses from which probabilities are computed.
const fewPauses = 5

// chance returns a probability: the share of the pauses longer than waited that ended within span after
// that.
func (p Pauses) chance(waited, span time.Duration) float64 {
	longer, ended := 0, 0
	for _, pause := range p {
		if pause > waited {
			longer++
			if pause-waited <= span {
				ended++
			}
		}
	}
	if longer < fewPauses {
		return 0
	}
	return float64(ended) / float64(longer+1)
}

// Add returns the pauses with a new pause appended.
func (p Pauses) Add(pause time.Duration) Pauses {
	const kept = 300
	p = append(slices.Clone(p), pause)
	return p[max(0, len(p)-kept):]
}
