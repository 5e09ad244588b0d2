package cachewarm

import "time"

// A SentRequest is a request of a recorded session.
type SentRequest struct {
	At time.Time
	// Tokens is the size of the request, and Prefix the part that it shares with the previous one.
	Tokens, Prefix int
	// Wait is the reason for the wait before the request.
	Wait Wait
}

// Rates are the prices of a cached and of a written token in USD, and the lifetime of a cached prefix.
type Rates struct {
	Read, Write float64
	Life        time.Duration
}

// Outcome compares the cost of a session with and without refreshes, in USD.
type Outcome struct {
	With, Without float64
	Refreshes     int
}

// Simulate returns the cost of a recorded session with refreshes during work and questions. With idle
// it also refreshes between turns. left is the time for which the session stays open after its latest
// request. pauses holds the user's pauses before the session. Simulate adds the pauses of the session.
func Simulate(session []SentRequest, left time.Duration, r Rates, idle bool, pauses *Pauses) Outcome {
	var o Outcome
	var a Account
	var p Prefix
	refresh := func(wait Wait, until time.Time) {
		for wait != WaitForMessage || idle {
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
			if s.Wait != WaitForWork {
				*pauses = pauses.Add(s.At.Sub(before))
			}
		}
		o.With += with
		o.Without += without
		a.RecordRequest(s.At, with)
		p = Prefix{Read: float64(s.Tokens) * r.Read, Write: float64(s.Tokens) * r.Write, Life: r.Life, Used: s.At}
	}
	refresh(WaitForMessage, p.Used.Add(left))
	if left > 0 {
		*pauses = pauses.Add(Never)
	}
	o.Refreshes = a.Refreshes
	return o
}
