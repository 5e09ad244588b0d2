package cacheaware

import (
	"slices"
	"time"

	"agent/internal/history"
	"agent/internal/llm/vendor"
)

// An anchor is the end of a prefix in a provider's cache of the kind CacheMarks. It consists of the
// number of units before it and the time of its latest use.
type anchor struct {
	units int
	used  time.Time
}

// foundTokens returns how many tokens of the next request the provider finds. It assumes that no cache
// entry has expired and that the first units are unchanged since they were sent.
func (a *account) foundTokens(m RequestFacts, units int) int {
	return a.foundTokensIn(m, a.conversation.sums(), units)
}

// foundTokensIn returns the same as foundTokens, given the sums of the conversation, for a caller that
// calls it often.
func (a *account) foundTokensIn(m RequestFacts, sums []int, units int) int {
	switch {
	case m.Cache.Kind == vendor.CacheNone:
		return 0
	case m.Cache.Kind == vendor.CacheMarks:
		units = a.anchorBefore(m, units)
	}
	return m.Cache.Whole(m.Head + sums[units])
}

// sums returns the total tokens of the first units, for each number of units.
func (c *conversation) sums() []int {
	sums := make([]int, len(c.units)+1)
	for i, u := range c.units {
		sums[i+1] = sums[i] + u.tokens
	}
	return sums
}

// anchorBefore returns the number of units before the last unexpired anchor at or before units. It
// returns 0 if only the head of the request is cached.
func (a *account) anchorBefore(m RequestFacts, units int) int {
	for _, held := range slices.Backward(a.anchors) {
		if held.units <= units && m.alive(held.used) {
			return held.units
		}
	}
	return 0
}

// markedLatest is the number of latest entries that get a mark in each request, unless Cache.Ends is set:
// the provider then marks only the last one. A mark is a cache breakpoint.
const markedLatest = 2

// mark records the marks of the request that is being sent. From then on, the provider's cache contains
// the prefixes that end there.
func (a *account) mark(m RequestFacts) {
	if m.Cache.Kind != vendor.CacheMarks {
		a.anchors = nil
		return
	}
	if m.Cold {
		a.anchors = nil
	}
	for i, held := range slices.Backward(a.anchors) {
		if held.units <= a.kept && m.alive(held.used) {
			a.anchors[i].used = m.At // finding a prefix extends its lifetime
			break
		}
	}
	able := a.conversation.markable()
	marked := able[max(0, len(able)-markedLatest):]
	if m.Cache.Ends {
		marked = able[max(0, len(able)-1):]
	}
	if m.Mark > 0 {
		marked = append(marked, m.Mark-1)
	}
	for _, entry := range marked {
		units := a.conversation.firstOf(entry + 1)
		a.anchors = slices.DeleteFunc(a.anchors, func(old anchor) bool { return old.units == units })
		a.anchors = append(a.anchors, anchor{units, m.At})
	}
	a.anchors = slices.DeleteFunc(a.anchors, func(old anchor) bool { return !m.alive(old.used) })
	slices.SortFunc(a.anchors, func(x, y anchor) int { return x.units - y.units })
}

// markable lists the entries that can be marked: messages of humans and results of tools.
func (cv *conversation) markable() []int {
	var able []int
	for i, entry := range cv.entries {
		if entry.Speaker != history.AI && !entry.Empty() {
			able = append(able, i)
		}
	}
	return able
}

// Mark returns the number of entries up to the free mark of the next request, or 0 for none. The mark
// is at the newest entry before which nothing can be pruned. Every request has this mark, so that a
// pruning pass is billed only from there on. If no other mark would find the cached prefix, the free
// mark is at the end of that prefix instead.
func (e *Engine) Mark(m RequestFacts) int {
	if m.Cache.Kind != vendor.CacheMarks || m.Cache.Ends {
		return 0
	}
	able := e.conversation.markable()
	latest := able[max(0, len(able)-markedLatest):]
	if held := e.account.anchorBefore(m, e.account.kept); held > 0 && !m.Cold && len(latest) > 0 {
		if at := e.conversation.units[held-1].entry; e.conversation.blocksBetween(at, latest[0]) >= m.Cache.Reach {
			return at + 1
		}
	}
	first := e.conversation.review(m).firstToGo()
	for _, i := range slices.Backward(able) {
		if e.conversation.firstOf(i+1) <= first {
			return i + 1
		}
	}
	return 0
}

// blocksBetween counts the blocks after one entry, up to the end of another.
func (cv *conversation) blocksBetween(from, to int) int {
	blocks := 0
	for i := from + 1; i <= to; i++ {
		blocks += len(cv.entries[i].Blocks)
	}
	return blocks
}

// firstToGo returns the index of the first unit that pruning may change.
func (rv *review) firstToGo() int {
	rv.Cold = false
	first := len(rv.conversation.units)
	candidates := rv.candidates()
	for _, c := range candidates {
		first = min(first, rv.conversation.startOf(c))
	}
	for _, f := range rv.folds(candidates) {
		first = min(first, f.start)
	}
	return first
}
