package cacheaware

import "time"

// learned is what the reports of a provider have taught of its cache at one model.
type learned struct {
	// reports says that it has reported something cached, so that nothing means none.
	reports bool
	// missed counts requests in a row of which the cache knew nothing although it should
	// have, short those of which it knew much less.
	missed, short int
	// alive is the longest pause after which most was still held, dead the shortest after
	// which nothing was; 0 for none.
	alive, dead time.Duration
}

const (
	// misses is how many requests in a row must find nothing of a kept prefix in the
	// cache until the cache is believed not to work. One can be an accident: the
	// provider dropped it, and holds the next prefix again.
	misses = 2
	// leastCached is the shortest prefix, in tokens, that every provider with a cache
	// keeps.
	leastCached = 2048
	// shortfalls is how often much less is found than was believed until only the end of
	// the latest request is, and shortfall what share of it is much less.
	shortfalls = 3
	shortfall  = 0.9
	// leastPause is the shortest pause that teaches how long a cache lives.
	leastPause = time.Minute
)

// believe is what is believed of a provider's cache after what it has reported.
func (l learned) believe(c Cache) Cache {
	if l.short >= shortfalls && c.Kind != CacheNone {
		c.Kind, c.Step, c.Reach, c.Ends = CacheMarks, 0, 0, true
	}
	if l.alive > c.Life && c.Life > 0 {
		c.Life = l.alive
	}
	if l.dead > 0 && (c.Life == 0 || l.dead <= c.Life) {
		c.Life = l.dead - time.Millisecond
	}
	return c
}

// learn takes what a reply reports of a request of so many tokens that was believed to find
// those expected if the cache was warm, and returns the request as it turned out.
func (l *learned) learn(latest, r Request, m Moment, total, expected int) Moment {
	if r.Model != latest.Model {
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
	if pause := r.Time().Sub(latest.Time()); latest.At > 0 && pause >= leastPause && l.reports && r.HeadSum == latest.HeadSum {
		l.paused(pause, found >= float64(expected)/2, r.Cached == 0)
	}
	switch {
	case r.Cached == 0:
		l.missed++
		m.Cold, m.Reported = m.Cold || l.reports, false // it would have held nothing of all either
	case !m.Cold && found < shortfall*float64(expected):
		l.missed = 0
		l.short++
	default:
		l.missed = 0
	}
	return m
}

// paused takes what was held after a pause.
func (l *learned) paused(pause time.Duration, most, none bool) {
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
