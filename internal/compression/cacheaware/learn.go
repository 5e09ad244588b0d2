package cacheaware

import (
	"time"

	"agent/internal/llm/vendor"
)

// learned contains the facts about a provider's cache learned from its reports, for one model.
type learned struct {
	// reports is set once the provider has reported cached tokens. Only then does a report without
	// cached tokens mean that nothing was cached.
	reports bool
	// missed counts the consecutive requests for which the cache contained nothing although it should.
	// short counts the requests for which it contained much less than it should.
	missed, short int
	// alive is the longest pause after which the provider's cache still contained most of a prefix.
	// dead is the shortest pause after which it contained nothing. 0 means none.
	alive, dead time.Duration
}

const (
	// misses is the number of consecutive requests without a cache hit on an unchanged prefix after
	// which the cache counts as not working. One miss can be an accident: the provider dropped the
	// prefix, and will keep the next one.
	misses = 2
	// leastCached is the shortest prefix, in tokens, that every provider with a cache stores.
	leastCached = 2048
	// shortfalls is the number of requests with too few cached tokens after which the engine assumes
	// that the cache contains only whole requests, and no shorter prefixes of them. shortfall is the
	// share of the expected cached tokens below which a request has too few.
	shortfalls = 3
	shortfall  = 0.9
	// leastPause is the shortest pause from which the lifetime of a cache is learned.
	leastPause = time.Minute
)

// believe returns c, corrected by the reports so far.
func (l learned) believe(c vendor.Cache) vendor.Cache {
	if l.short >= shortfalls && c.Kind != vendor.CacheNone {
		c.Kind, c.StepTokens, c.Reach, c.Ends = vendor.CacheMarks, 0, 0, true
	}
	if l.alive > c.Life && c.Life > 0 {
		c.Life = l.alive
	}
	if l.dead > 0 && (c.Life == 0 || l.dead <= c.Life) {
		c.Life = l.dead - time.Millisecond
	}
	return c
}

// learn applies the report of a reply. It returns the moment of its request, corrected by the report.
// total is the size of the request in tokens. expected is the number of tokens that it should find in a
// warm cache.
func (l *learned) learn(before, r Request, m RequestFacts, total, expected int) RequestFacts {
	if r.Model != before.Model {
		*l = learned{}
	}
	if r.Prompt <= 0 {
		return m
	}
	l.reports = l.reports || r.Cached > 0
	m.Found, m.Reported = float64(r.Cached)/float64(r.Prompt), l.reports
	if expected-m.Head < leastCached {
		return m
	}
	found := m.Found * float64(total)
	if pause := r.Time().Sub(latest(before.Time(), m.Warmed)); before.At > 0 && pause >= leastPause && l.reports && r.HeadSum == before.HeadSum {
		l.recordPause(pause, found >= float64(expected)/2, r.Cached == 0)
	}
	switch {
	case r.Cached == 0:
		l.missed++
		m.Cold, m.Reported = m.Cold || l.reports, false // without pruning, the cache would have contained nothing either
	case !m.Cold && found < shortfall*float64(expected):
		l.missed = 0
		l.short++
	default:
		l.missed = 0
	}
	return m
}

// recordPause records whether the cache contained most of a prefix, or none of it, after a pause.
func (l *learned) recordPause(pause time.Duration, most, none bool) {
	switch {
	case most:
		l.alive = max(l.alive, pause)
		if l.dead <= pause {
			l.dead = 0
		}
	case none:
		if l.dead == 0 || pause < l.dead {
			l.dead = pause
		}
		if l.alive >= pause {
			l.alive = 0
		}
	}
}
