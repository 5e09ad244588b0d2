package cacheaware

import (
	"cmp"
	"math"
	"slices"

	"agent/internal/history"
	"agent/internal/llm/vendor"
)

const (
	// horizon is the number of requests within which a cut must pay back. In a long session it is
	// horizonShare of the requests so far, because long sessions tend to continue. From 15 to 20 the
	// cost changes by less than a hundredth.
	horizon      = 20
	horizonShare = 0.15
)

// A Plan lists the changes that should be made before the next request.
type Plan struct {
	Changes []Change
	// Paid is the extra cost of the next request because of the cut, in tokens at the full price of
	// input. It is negative if the request becomes cheaper at once.
	Paid float64
	// Saves is the amount that the cut saves with each later request.
	Saves float64
	// Bank is the amount that pruning had saved before.
	Bank float64
}

// PaybackRequests returns the number of requests after which the plan has paid for itself.
func (p Plan) PaybackRequests() int {
	if p.Paid <= 0 || p.Saves <= 0 {
		return 0
	}
	return int(math.Ceil(p.Paid / p.Saves))
}

// A cut is a pruning pass that begins at a unit and removes everything after it that may be pruned.
type cut struct {
	at int
	// dearer is the extra cost of the next request. saves is the amount saved with each later request.
	// worth is the amount saved within the horizon, minus dearer.
	dearer, worth, saves float64
	// freed is the number of tokens that the cut frees.
	freed float64
	// atOnce is set if no content has to be billed again because of the cut.
	atOnce bool
	// risky is the number of texts in the cut that an edit may quote.
	risky int
}

// Plan returns the most valuable cut, as a plan. It applies none of the changes.
func (e *Engine) Plan(m RequestFacts) Plan {
	a := e.account
	a.begin(m)
	rv := e.conversation.review(m)
	candidates := rv.candidates()
	folds := rv.folds(candidates)
	s := newSweep(a, m, candidates, folds)
	cuts := s.cuts()
	bank := a.bank(m, s.newSaved)
	cuts = slices.DeleteFunc(cuts, func(c cut) bool {
		return !m.Pressed && (c.freed < a.leastFreed(m) || m.Kept && c.at < e.conversation.replied)
	})
	best := choose(cuts, bank-m.rounding(), func(texts int) float64 { return a.faults(m, texts) }, m.Pressed)
	if best == nil {
		return Plan{Bank: bank}
	}
	if rv.anyForeign(folds, best.at) {
		return e.Plan(m)
	}
	return Plan{Changes: e.changes(best.at, candidates, folds), Paid: best.dearer, Saves: best.saves, Bank: bank}
}

// leastFreed returns the smallest number of tokens that a cut must free to save money. Some providers
// count cached tokens in multiples of Cache.Step. After a cut, the cached part of each request may be up
// to one step smaller, and the saving per request must exceed the cost of that step. Tokens that earlier
// cuts freed are subtracted.
func (a *account) leastFreed(m RequestFacts) float64 {
	const leastRead = 0.02
	return m.rounding()/max(leastRead, m.Price.Read) - float64(a.conversation.unpruned-a.conversation.total)
}

// rounding returns an upper limit of the extra cost of a request whose cached part is rounded down to
// whole steps.
func (m RequestFacts) rounding() float64 {
	return (m.Price.Write - m.Price.Read) * float64(max(1, m.Cache.StepTokens)-1)
}

// choose returns the most valuable cut that costs something. If there is none, it returns the cut
// nearest to the head that costs nothing, or nil. With pressed, it returns the cut nearest to the head.
// Text that an edit may quote is pruned only if the bank can pay for reading it again, even if the cut
// itself costs nothing.
func choose(cuts []cut, bank float64, faults func(texts int) float64, pressed bool) *cut {
	var best *cut
	worth := 0.0
	for i := range cuts {
		c := &cuts[i]
		switch {
		case pressed:
			best = c
		case c.dearer > max(0, bank), c.risky > 0 && c.dearer > bank-faults(c.risky):
		case c.atOnce:
			best = c
		case c.worth > worth:
			best, worth = c, c.worth
		}
	}
	return best
}

// A sweep examines the units from the tail to the head, and computes the value of each position where a
// cut may begin.
type sweep struct {
	conversation *conversation
	account      *account
	m            RequestFacts
	candidates   map[int]candidate
	// from lists the candidates by the first unit of a cut that includes them.
	from  map[int][]candidate
	folds []fold
	// startAt maps the first unit of each fold to the indexes of the folds that start there. folded
	// contains the units of the folds that the sweep has passed.
	startAt map[int][]int
	folded  map[int]bool
	// sums contains the sums of the conversation. warm is the number of tokens that the provider finds
	// if nothing changes.
	sums []int
	warm int
	// saved is the number of tokens, sent before, that a cut at the present unit frees. lasting is the
	// part of saved that may justify a cut alone. newSaved is the number of tokens that are pruned
	// before any request contains them.
	saved, lasting, newSaved float64
	// risky is the number of prunable texts passed so far that an edit may quote.
	risky int
}

func newSweep(a *account, m RequestFacts, candidates []candidate, folds []fold) *sweep {
	s := &sweep{conversation: a.conversation, account: a, m: m, sums: a.conversation.sums(), candidates: make(map[int]candidate, len(candidates)), from: map[int][]candidate{}, folds: folds, startAt: map[int][]int{}, folded: map[int]bool{}}
	s.warm = a.foundTokensIn(m, s.sums, a.sent)
	for _, c := range candidates {
		s.candidates[c.unit] = c
		at := a.conversation.startOf(c)
		s.from[at] = append(s.from[at], c)
	}
	for i, f := range folds {
		s.startAt[f.start] = append(s.startAt[f.start], i)
	}
	return s
}

// cuts lists the positions where a cut may begin, from the tail to the head.
func (s *sweep) cuts() []cut {
	var cuts []cut
	for at := len(s.conversation.units) - 1; at >= 0; at-- {
		hard := false
		for _, c := range s.from[at] {
			hard = s.take(c) || hard
		}
		if s.takeFolds(at) || hard {
			cuts = append(cuts, s.cut(at))
		}
	}
	return cuts
}

// startOf returns the first unit of a cut that includes a candidate. The texts of an edit are pruned
// only after the older views of its lines, so that the newest text is not pruned before them.
func (cv *conversation) startOf(c candidate) int {
	at := c.unit
	for _, view := range cv.units[at].fact.stale {
		if cv.units[view].mayBeMarked() {
			at = min(at, view)
		}
	}
	return at
}

// take adds a candidate to the sums, and reports whether it may justify a cut.
func (s *sweep) take(c candidate) bool {
	at := c.unit
	if s.folded[at] {
		return false
	}
	saves, ok := s.freedTokens(c)
	if !ok {
		return false
	}
	if c.why != ReasonFree && c.why != ReasonMarked && (c.hard() || at < s.account.sent) && s.conversation.units[at].quotable() {
		s.risky++
	}
	if c.why == ReasonEmptyCall {
		s.risky += s.conversation.shortTexts(s.conversation.units[at].fact)
	}
	switch {
	case at < s.account.sent:
		s.saved += saves
		if c.hard() {
			s.lasting += saves
		}
	case c.hard():
		s.newSaved += saves
	}
	return c.hard()
}

// shortTexts returns the number of texts that an edit may quote in a call that is removed before any of
// its texts was shortened.
func (cv *conversation) shortTexts(f *fact) int {
	texts := 0
	for _, at := range f.call()[1:] {
		if u := &cv.units[at]; u.isShown() && u.quotable() && !f.covered {
			texts++
		}
	}
	return texts
}

// freedTokens returns the tokens that a candidate frees in addition to the candidates passed before. It
// returns false if a fold includes a part of the candidate.
func (s *sweep) freedTokens(c candidate) (tokens float64, ok bool) {
	u := &s.conversation.units[c.unit]
	if c.why != ReasonEmptyCall {
		return float64(s.conversation.tokensFreed(c)), true
	}
	freed := s.conversation.pairTokens(u.fact)
	for _, part := range u.fact.pair()[1:] {
		if s.folded[part] {
			return 0, false
		}
		if _, counted := s.candidates[part]; counted {
			freed -= s.conversation.units[part].saves()
		}
	}
	return float64(freed), true
}

// tokensFreed returns the tokens that pruning a candidate frees. The candidate is not an empty
// call.
func (cv *conversation) tokensFreed(c candidate) int {
	if c.why == ReasonMarked {
		return -cv.count(staleNote)
	}
	return cv.units[c.unit].saves()
}

// takeFolds adds the tokens freed by the folds that start at a unit to s.saved and s.lasting. It reports
// whether there are such folds. The sweep has already counted the candidates among a fold's units and its
// target, so takeFolds subtracts what pruning these alone frees.
func (s *sweep) takeFolds(at int) bool {
	for _, i := range s.startAt[at] {
		gain := float64(s.folds[i].saves)
		for _, part := range append([]int{s.folds[i].target}, s.folds[i].parts()...) {
			s.folded[part] = true
		}
		gain -= float64(s.folds[i].tokensAlone(s.conversation, s.candidates))
		s.saved += gain
		s.lasting += gain
	}
	return len(s.startAt[at]) > 0
}

func (s *sweep) cut(at int) cut {
	total := s.m.Head + s.conversation.total
	if at >= s.account.sent || s.m.Cold || !s.account.sentOnce || s.m.Cache.Kind == vendor.CacheNone {
		freed := s.saved + s.newSaved
		p := s.m.Price.at(total - int(freed))
		return cut{at: at, atOnce: true, risky: s.risky, dearer: -p.Write * freed, saves: p.Read * freed, freed: freed}
	}
	total -= int(s.newSaved)
	after := total - int(s.saved)
	dearer := cost(s.m, s.account.foundTokensIn(s.m, s.sums, at), after) - cost(s.m, s.warm, total)
	r := s.m.Price.at(after).Read
	return cut{at: at, risky: s.risky, dearer: dearer, worth: r*s.conversation.horizon()*s.lasting - dearer, saves: r * s.saved, freed: s.saved}
}

// horizon returns the number of requests within which a cut must pay back.
func (cv *conversation) horizon() float64 { return max(horizon, horizonShare*float64(cv.request)) }

// changes lists all changes of a cut at a unit: the folds and the hard candidates, and the soft
// candidates among the units that were sent before.
func (e *Engine) changes(at int, candidates []candidate, folds []fold) []Change {
	var changes []Change
	gone := map[int]bool{}
	for _, f := range folds {
		if f.start < at {
			continue
		}
		for _, call := range f.calls {
			changes = append(changes, e.conversation.pairChange(call))
			for _, part := range call.pair() {
				gone[part] = true
			}
		}
		for _, i := range f.units {
			if i != f.target {
				changes = append(changes, e.conversation.change(i, ReasonMerged))
				gone[i] = true
			}
		}
		changes = append(changes, e.conversation.copyOf(f))
		gone[f.target] = true
	}
	for _, c := range candidates {
		if f := e.conversation.units[c.unit].fact; c.why == ReasonEmptyCall && e.conversation.startOf(c) >= at && !slices.ContainsFunc(f.pair(), func(part int) bool { return gone[part] }) {
			changes = append(changes, e.conversation.pairChange(f))
			for _, part := range f.pair() {
				gone[part] = true
			}
		}
	}
	for _, c := range candidates {
		if c.why == ReasonEmptyCall || e.conversation.startOf(c) < at || gone[c.unit] || !c.hard() && c.unit >= e.account.sent {
			continue
		}
		changes = append(changes, e.conversation.change(c.unit, c.why))
	}
	slices.SortFunc(changes, func(a, b Change) int { return cmp.Compare(a.unit, b.unit) })
	return changes
}

func (cv *conversation) change(at int, why Reason) Change {
	u := &cv.units[at]
	c := Change{Entry: u.entry, Kind: u.kind(), Subject: u.subject(), Paths: u.fact.paths, Why: why, Tokens: u.saves(), Idle: cv.idleRequests(u), unit: at}
	if r, ok := cv.entries[u.entry].Blocks[u.block].(*history.ToolResponse); ok && why == ReasonMarked {
		c.Text, c.Tokens = staleNote+r.Result.Text(), -cv.count(staleNote)
	}
	return c
}

// pairChange returns the change that removes a call with its result.
func (cv *conversation) pairChange(f *fact) Change {
	u := &cv.units[f.head]
	return Change{Entry: u.entry, Kind: "call", Subject: u.subject(), Paths: u.fact.paths, Why: ReasonEmptyCall, Tokens: cv.pairTokens(f), unit: f.head}
}

// copyOf returns the change that puts the current text of a folded file into a result.
func (cv *conversation) copyOf(f fold) Change {
	c := cv.change(f.target, ReasonMerged)
	c.Text, c.Tokens = f.text, cv.units[f.target].tokens-f.tokens
	return c
}
