package cachewarm_test

import (
	"time"

	"agent/internal/chat/cachewarm"
)

// A sentRequest is a request of a recorded session.
type sentRequest struct {
	At time.Time
	// Tokens is the size of the request, and Prefix the part that it shares with the previous one.
	Tokens, Prefix int
	// Wait is the reason for the wait before the request.
	Wait cachewarm.Wait
}

// tokenRates are the prices of a cached and of a written token in USD, and the lifetime of a cached prefix.
type tokenRates struct {
	Read, Write float64
	Life        time.Duration
}

// outcome compares the cost of a session with and without refreshes, in USD.
type outcome struct {
	With, Without float64
	Refreshes     int
}

// simulate returns the cost of a recorded session with refreshes during work and questions. With idle
// it also refreshes between turns. left is the time for which the session stays open after its latest
// request. pauses holds the user's pauses before the session. simulate adds the pauses of the session.
func simulate(session []sentRequest, left time.Duration, r tokenRates, idle bool, pauses *cachewarm.Pauses) outcome {
	var o outcome
	var a cachewarm.Account
	var p cachewarm.Prefix
	refresh := func(wait cachewarm.Wait, until time.Time) {
		for wait != cachewarm.WaitForMessage || idle {
			at, ok := a.NextRefresh(p, wait, *pauses)
			if !ok || !at.Before(until) {
				return
			}
			a.RecordRefresh(p.Read, true)
			o.With += p.Read
			p.Used = at
		}
	}
	for i, s := range session {
		with := float64(s.Tokens) * r.Write
		without := with
		if i > 0 {
			before := session[i-1].At
			refresh(s.Wait, s.At)
			cached := float64(s.Prefix) * (r.Write - r.Read)
			if s.At.Sub(p.Used) <= r.Life {
				with -= cached
			}
			if s.At.Sub(before) <= r.Life {
				without -= cached
			}
			a.RecordSavings(without - with)
			if s.Wait != cachewarm.WaitForWork {
				*pauses = pauses.Add(s.At.Sub(before))
			}
		}
		o.With += with
		o.Without += without
		a.RecordRequest(s.At, with)
		p = cachewarm.Prefix{Read: float64(s.Tokens) * r.Read, Write: float64(s.Tokens) * r.Write, Life: r.Life, Used: s.At}
	}
	refresh(cachewarm.WaitForMessage, p.Used.Add(left))
	if left > 0 {
		*pauses = pauses.Add(cachewarm.Never)
	}
	o.Refreshes = a.Refreshes
	return o
}
