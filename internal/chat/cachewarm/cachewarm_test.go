package cachewarm_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"agent/internal/chat/cachewarm"
)

var start = time.Date(2026, 11, 1, 9, 0, 0, 0, time.UTC)

// usual returns n pauses. Half of them end after 7 minutes, and half never end.
func usual(n int) (p cachewarm.Pauses) {
	for i := range n {
		p = p.Add([]time.Duration{7 * time.Minute, cachewarm.Never}[i%2])
	}
	return p
}

// A refresh is due before the cache expires, and only if it saves cost.
func TestNext(t *testing.T) {
	t.Parallel()
	const five = 5 * time.Minute
	large := cachewarm.Prefix{Read: 0.05, Write: 0.625, Life: five, Used: start}
	with := func(change func(*cachewarm.Prefix)) cachewarm.Prefix {
		p := large
		change(&p)
		return p
	}
	for name, c := range map[string]struct {
		prefix cachewarm.Prefix
		wait   cachewarm.Wait
		pauses cachewarm.Pauses
		did    func(*cachewarm.Account)
		want   time.Duration // 0 for never
	}{
		"work":                {prefix: large, want: 270 * time.Second},
		"an hour":             {prefix: with(func(p *cachewarm.Prefix) { p.Life = time.Hour }), want: 54 * time.Minute},
		"a minute":            {prefix: with(func(p *cachewarm.Prefix) { p.Life = time.Minute }), want: 50 * time.Second},
		"life unknown":        {prefix: with(func(p *cachewarm.Prefix) { p.Life = 0 })},
		"life too short":      {prefix: with(func(p *cachewarm.Prefix) { p.Life = 30 * time.Second })},
		"too small":           {prefix: with(func(p *cachewarm.Prefix) { p.Read, p.Write = 0.004, 0.05 })},
		"no cheaper read":     {prefix: with(func(p *cachewarm.Prefix) { p.Read = p.Write })},
		"user, no pauses":     {prefix: large, wait: cachewarm.WaitForMessage},
		"user, few pauses":    {prefix: large, wait: cachewarm.WaitForMessage, pauses: usual(4)},
		"user":                {prefix: large, wait: cachewarm.WaitForMessage, pauses: usual(20), want: 270 * time.Second},
		"answer":              {prefix: large, wait: cachewarm.WaitForAnswer, pauses: usual(20), want: 270 * time.Second},
		"user who stays away": {prefix: large, wait: cachewarm.WaitForMessage, pauses: slices.Repeat(cachewarm.Pauses{time.Hour}, 20)},
		"user, half an hour over": {
			prefix: with(func(p *cachewarm.Prefix) { p.Used = start.Add(26 * time.Minute) }), wait: cachewarm.WaitForMessage,
			pauses: slices.Repeat(cachewarm.Pauses{32 * time.Minute}, 20),
		},
		"work, an hour over":    {prefix: with(func(p *cachewarm.Prefix) { p.Used = start.Add(56 * time.Minute) })},
		"a refresh missed":      {prefix: large, did: func(a *cachewarm.Account) { a.RecordRefresh(0.05, false) }},
		"missed, then sent":     {prefix: large, did: func(a *cachewarm.Account) { a.RecordRefresh(0.05, false); a.RecordRequest(start, 1) }},
		"twenty were made":      {prefix: large, did: func(a *cachewarm.Account) { a.Refreshes = 20 }},
		"the wait cost enough":  {prefix: large, did: func(a *cachewarm.Account) { a.RecordRefresh(0.55, true) }},
		"nothing may be risked": {prefix: large, wait: cachewarm.WaitForMessage, pauses: usual(20), did: func(a *cachewarm.Account) { a.RecordSavings(-0.1) }},
	} {
		var a cachewarm.Account
		a.RecordRequest(start, 10)
		if c.did != nil {
			c.did(&a)
		}
		at, ok := a.NextRefresh(c.prefix, c.wait, c.pauses)
		switch {
		case ok != (c.want > 0):
			t.Errorf("%s: due: %t", name, ok)
		case ok && at.Sub(start) != c.want:
			t.Errorf("%s: due after %s, want %s", name, at.Sub(start), c.want)
		}
	}
}

// made returns 30 sessions of one user, with quick calls, some long commands and subagents,
// questions, and some long pauses. A third of the sessions stays open for an hour after the end.
func made(seed uint64) (sessions [][]sentRequest, left []time.Duration) {
	r := rand.New(rand.NewPCG(seed, seed))
	around := func(median time.Duration, spread float64) time.Duration {
		return time.Duration(float64(median) * math.Exp(spread*r.NormFloat64()))
	}
	at := start
	for i := range 30 {
		at = at.Add(12 * time.Hour)
		var session []sentRequest
		tokens, before := 15_000, 0
		for range 80 + r.IntN(200) {
			s := sentRequest{Tokens: tokens, Prefix: before}
			switch n := r.IntN(100); {
			case n < 84:
				at = at.Add(around(15*time.Second, 1))
			case n < 88:
				at = at.Add(min(around(5*time.Minute, 1), 45*time.Minute))
			case n < 92:
				at, s.Wait = at.Add(around(2*time.Minute, 1.2)), cachewarm.WaitForAnswer
			default:
				at, s.Wait = at.Add(around(4*time.Minute, 1.2)), cachewarm.WaitForMessage
			}
			s.At = at
			session = append(session, s)
			before = tokens
			if tokens += int(around(900, 1)); tokens > 160_000 {
				tokens, before = 40_000, 10_000
			}
		}
		sessions, left = append(sessions, session), append(left, time.Duration(i%3/2)*time.Hour)
	}
	return sessions, left
}

// rates returns the prices of a model at 5 dollars per million tokens.
func rates(read float64, life time.Duration) tokenRates {
	const input = 5e-6
	return tokenRates{Read: read * input, Write: 1.25 * input, Life: life}
}

// In 30 made sessions, refreshes never cost more than 1% of a session, and save cost in total.
func TestMadeSessions(t *testing.T) {
	t.Parallel()
	sessions, left := made(51)
	for _, life := range []time.Duration{5 * time.Minute, time.Hour} {
		for _, read := range []float64{0.1, 0.05, 0.025} {
			for _, idle := range []bool{false, true} {
				var sum outcome
				var pauses, same cachewarm.Pauses
				worst, hours, worstHour := 0.0, 0.0, 0.0
				for i, session := range sessions {
					o := simulate(session, left[i], rates(read, life), idle, &pauses)
					hour := simulate(session, left[i], tokenRates{Read: rates(read, life).Read, Write: 2 * rates(1, life).Read, Life: time.Hour}, idle, &same).Without
					worst, hours, worstHour = max(worst, o.With/o.Without), hours+hour, max(worstHour, hour/o.Without)
					sum.With, sum.Without, sum.Refreshes = sum.With+o.With, sum.Without+o.Without, sum.Refreshes+o.Refreshes
				}
				share, most := sum.With/sum.Without, 1.0
				if read == 0.025 && life < time.Hour && idle {
					most = 0.92
				}
				name := fmt.Sprintf("life %s, read %g, idle %t: cost %.3f, worst session %.3f, %d refreshes", life, read, idle, share, worst, sum.Refreshes)
				t.Logf("%s; marks that last an hour: %.3f, worst %.3f", name, hours/sum.Without, worstHour)
				if share > most || worst > 1.01 {
					t.Errorf("%s; want at most %g and 1.01", name, most)
				}
			}
		}
	}
}

// While only the user is awaited, refreshes lose at most 1% of the session's cost, whatever the
// session does.
func TestLossIsBounded(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		at, before := start, 0
		var session []sentRequest
		for range rapid.IntRange(1, 60).Draw(t, "requests") {
			at = at.Add(time.Duration(rapid.IntRange(1, 4000).Draw(t, "seconds")) * time.Second)
			s := sentRequest{At: at, Tokens: rapid.IntRange(1000, 400_000).Draw(t, "tokens"), Wait: cachewarm.Wait(rapid.IntRange(1, 2).Draw(t, "wait"))}
			s.Prefix, before = min(before, s.Tokens), s.Tokens
			session = append(session, s)
		}
		pauses := usual(rapid.IntRange(0, 40).Draw(t, "pauses"))
		r := rates(rapid.SampledFrom([]float64{0.01, 0.025, 0.1, 0.5}).Draw(t, "read"), time.Duration(rapid.IntRange(1, 90).Draw(t, "life"))*time.Minute)
		if o := simulate(session, time.Hour, r, true, &pauses); o.With > o.Without*1.0101 {
			t.Fatalf("%.4f of %.4f", o.With, o.Without)
		}
	})
}
