package cacheaware

import (
	"slices"
	"time"

	"agent/internal/history"
)

// CacheKind is how a provider finds what it holds of a request.
type CacheKind string

// The kinds. The zero value is CachePrefix.
const (
	// CachePrefix finds whatever a request begins with like an earlier one.
	CachePrefix CacheKind = "prefix"
	// CacheMarks finds only what ended at a mark of an earlier request.
	CacheMarks CacheKind = "marks"
	// CacheNone finds nothing.
	CacheNone CacheKind = "none"
)

// Cache is what a provider keeps of requests, and how it finds that.
type Cache struct {
	Kind CacheKind `json:"kind,omitzero"`
	// Step is the number of tokens in whole multiples of which a common beginning
	// counts; 0 is 1.
	Step int `json:"step,omitzero"`
	// Reach is from how many blocks before a mark an earlier one is found. Ends says that
	// requests are marked at their end alone, by the provider.
	Reach int  `json:"reach,omitzero"`
	Ends  bool `json:"ends,omitzero"`
	// Life is how long it is kept after the latest use, 0 when nobody knows.
	Life time.Duration `json:"life,omitzero"`
}

// longestLife is how long any provider keeps anything.
const longestLife = 24 * time.Hour

// Alive reports whether what was used last so long ago can still be there. A life that
// nobody knows is long: to take a cold cache for warm misses an occasion, to take a warm
// one for cold costs money.
func (c Cache) Alive(unused time.Duration) bool {
	if c.Life == 0 {
		return unused <= longestLife
	}
	return unused <= c.Life
}

// anchor is the end of something that a provider of the kind CacheMarks holds, as the
// number of units in front of it.
type anchor struct {
	units int
	used  time.Time
}

// found is how many tokens of the next request the provider finds, if it is as warm as can
// be and the first units are as they were sent.
func (a *account) found(m Moment, units int) int {
	switch {
	case m.Cache.Kind == CacheNone:
		return 0
	case m.Cache.Kind == CacheMarks:
		units = a.anchorBefore(m, units)
	}
	found := m.Head
	for i := range units {
		found += a.units[i].tokens
	}
	return m.Cache.whole(found)
}

// whole are tokens in whole steps.
func (c Cache) whole(tokens int) int { return tokens - tokens%max(1, c.Step) }

// anchorBefore is the newest anchor at or before so many units, 0 for the head.
func (a *account) anchorBefore(m Moment, units int) int {
	for _, held := range slices.Backward(a.anchors) {
		if held.units <= units && m.Cache.Alive(m.At.Sub(held.used)) {
			return held.units
		}
	}
	return 0
}

// markedLatest is how many of the latest entries every request marks.
const markedLatest = 2

// mark notes where the request that is sent is marked: what ends there is held from now on.
func (a *account) mark(m Moment) {
	if m.Cache.Kind != CacheMarks {
		a.anchors = nil
		return
	}
	if m.Cold {
		a.anchors = nil
	}
	for i, held := range slices.Backward(a.anchors) {
		if held.units <= a.kept && m.Cache.Alive(m.At.Sub(held.used)) {
			a.anchors[i].used = m.At // what is found is kept for longer
			break
		}
	}
	able := a.markable()
	marked := able[max(0, len(able)-markedLatest):]
	if m.Cache.Ends {
		marked = able[max(0, len(able)-1):]
	}
	if m.Mark > 0 {
		marked = append(marked, m.Mark-1)
	}
	for _, entry := range marked {
		units := a.firstOf(entry + 1)
		a.anchors = slices.DeleteFunc(a.anchors, func(old anchor) bool { return old.units == units })
		a.anchors = append(a.anchors, anchor{units, m.At})
	}
	a.anchors = slices.DeleteFunc(a.anchors, func(old anchor) bool { return !m.Cache.Alive(m.At.Sub(old.used)) })
	slices.SortFunc(a.anchors, func(x, y anchor) int { return x.units - y.units })
}

// markable are the entries that can be marked: what humans said and tools answered.
func (cv *conversation) markable() []int {
	var able []int
	for i, entry := range cv.entries {
		if entry.Speaker != history.AI && !entry.Empty() {
			able = append(able, i)
		}
	}
	return able
}

// Mark is the number of entries up to the free mark of the next request, 0 for none: the
// newest that nothing which may go is in front of. It is sent with every request, so
// that a cut is billed from there. Where no other mark would find what is held, it is
// on that.
func (e *Engine) Mark(m Moment) int {
	if m.Cache.Kind != CacheMarks || m.Cache.Ends {
		return 0
	}
	able := e.markable()
	latest := able[max(0, len(able)-markedLatest):]
	if held := e.account.anchorBefore(m, e.account.kept); held > 0 && !m.Cold && len(latest) > 0 {
		if at := e.units[held-1].entry; e.blocksBetween(at, latest[0]) >= m.Cache.Reach {
			return at + 1
		}
	}
	first := e.review(m).firstToGo()
	for _, i := range slices.Backward(able) {
		if e.firstOf(i+1) <= first {
			return i + 1
		}
	}
	return 0
}

// blocksBetween is the number of blocks from behind one entry to the end of another.
func (cv *conversation) blocksBetween(from, to int) int {
	blocks := 0
	for i := from + 1; i <= to; i++ {
		blocks += len(cv.entries[i].Blocks)
	}
	return blocks
}

// firstToGo is the first unit that a cut may change.
func (rv *review) firstToGo() int {
	rv.Cold = false
	first := len(rv.units)
	candidates := rv.candidates()
	for _, c := range candidates {
		first = min(first, c.unit)
	}
	for _, f := range rv.folds(candidates) {
		first = min(first, f.start)
	}
	return first
}
