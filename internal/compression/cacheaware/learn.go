package cacheaware

import (
	"time"

	"agent/internal/llm/vendor"
)

// learned holds the facts about a provider's cache that its reports have shown, for one model.
type learned struct {
	// reports is set once the provider has reported cached tokens. Only then does a report of
	// none mean that nothing was cached.
	reports bool
	// missed counts the requests in a row for which the cache held nothing although it should
	// have. short counts the requests for which it held much less than it should have.
	missed, short int
	// alive is the longest pause after which the provider's cache still held most of a prefix, and
	// dead the shortest pause after which it held nothing. 0 means none.
	alive, dead time.Duration
}

const (
	// misses is the number of requests in a row that must find nothing of an unchanged prefix in
	// the cache, until the cache counts as not working. One miss can be an accident: the provider
	// dropped the prefix, and holds the next one again.
	misses = 2
	// leastCached is the shortest prefix, in tokens, that every provider with a cache
	// keeps.
	leastCached = 2048
	// shortfalls is the number of requests that must find much less than expected, until only the
	// end of the latest request is counted on. shortfall is the share of the expected tokens
	// below which a request finds much less.
	shortfalls = 3
	shortfall  = 0.9
	// leastPause is the shortest pause that teaches how long a cache lives.
	leastPause = time.Minute
)

// believe returns c, corrected by the reports so far.
func (l learned) believe(c vendor.Cache) vendor.Cache {
	if l.short >= shortfalls && c.Kind != vendor.CacheNone {
		c.Kind, c.Step, c.Reach, c.Ends = vendor.CacheMarks, 0, 0, true
	}
	if l.alive > c.Life && c.Life > 0 {
		c.Life = l.alive
	}
	if l.dead > 0 && (c.Life == 0 || l.dead <= c.Life) {
		c.Life = l.dead - time.Millisecond
	}
	return c
}

// learn takes the report of a reply into account, and returns the moment of its request as it
// turned out. total is the size of the request in tokens, expected the number of tokens that it
// should find in a warm cache.
func (l *learned) learn(before, r Request, m Moment, total, expected int) Moment {
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
		m.Cold, m.Reported = m.Cold || l.reports, false // without pruning, the cache would have had nothing either
	case !m.Cold && found < shortfall*float64(expected):
		l.missed = 0
		l.short++
	default:
		l.missed = 0
	}
	return m
}

// recordPause records whether the cache held most of a prefix, or none of it, after a pause.
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
