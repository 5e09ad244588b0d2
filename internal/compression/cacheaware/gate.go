package cacheaware

import (
	"cmp"
	"math"
	"slices"

	"agent/internal/history"
)

const (
	// horizon is within how many requests a cut must pay back, or horizonShare of
	// those made so far: a long session tends to go on for long. From 10 to 30 the
	// cost changes by a hundredth.
	horizon      = 15
	horizonShare = 0.15
	// waitShare is how much of what carrying a unit has cost since it could have gone
	// counts for a cut that takes it. With that a deep cut, which no horizon ever pays
	// for, is made when not making it has come to cost as much. From 0.4 to 1 the cost
	// changes by a hundredth.
	waitShare = 0.4
)

// Plan says what should leave the context before the next request.
type Plan struct {
	Changes []Change
	// Paid is by how much the request gets dearer through the cut, in tokens at the
	// full price of input; below zero where it gets cheaper at once.
	Paid float64
	// Saves is what the cut saves with each request that follows.
	Saves float64
	// Bank is what pruning had saved before.
	Bank float64
}

// PaysBack is the number of requests after which the plan has paid for itself.
func (p Plan) PaysBack() int {
	if p.Paid <= 0 || p.Saves <= 0 {
		return 0
	}
	return int(math.Ceil(p.Paid / p.Saves))
}

// cut is a place where a cut may begin.
type cut struct {
	at int
	// dearer is by how much the request gets dearer now, worth what the cut saves
	// within the horizon and what waiting for it has cost, less that, saves what it saves
	// with each request.
	dearer, worth, saves float64
	// freed is how many tokens it frees.
	freed float64
	// atOnce says that nothing has to be billed again.
	atOnce bool
	// risky is how many texts it takes that an edit may quote.
	risky int
}

// Plan looks for the cut that is worth most. It changes nothing.
func (e *Engine) Plan(m Moment) Plan {
	a := e.account
	a.begin(m)
	rv := e.review(m)
	candidates := rv.candidates()
	folds := rv.folds(candidates)
	s := newSweep(a, m, candidates, folds)
	cuts := s.cuts()
	bank := a.bank(m, s.newSaved)
	cuts = slices.DeleteFunc(cuts, func(c cut) bool { return !m.Pressed && c.freed < a.leastFreed(m) })
	best := choose(cuts, bank-m.rounding(), func(texts int) float64 { return a.faults(m, texts) }, m.Pressed)
	if best == nil {
		return Plan{Bank: bank}
	}
	if rv.anyForeign(folds, best.at) {
		return e.Plan(m)
	}
	return Plan{Changes: e.changes(best.at, candidates, folds), Paid: best.dearer, Saves: best.saves, Bank: bank}
}

// leastFreed is how much a cut must free at a provider that finds whole steps. It may
// round every request down by as much more as a step has, from then on: what is saved with
// each request must be more than that.
func (a *account) leastFreed(m Moment) float64 {
	const leastRead = 0.02
	return m.rounding()/max(leastRead, m.Price.Read) - float64(a.unpruned-a.total)
}

// rounding is the most that a request may cost more for being rounded down to whole steps.
func (m Moment) rounding() float64 {
	return (m.Price.Write - m.Price.Read) * float64(max(1, m.Cache.Step)-1)
}

// choose takes the cut nearest to the head among those that cost nothing, or the
// dearer one that is worth most. What an edit may quote leaves only when the bank can pay
// for reading it again, also where the cut itself costs nothing.
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

// sweep walks through the units from the tail to the head and weighs every place
// where a cut may begin.
type sweep struct {
	*account
	m          Moment
	candidates map[int]candidate
	folds      []fold
	// startAt lists the folds by their first unit; folded are the units of those that
	// were passed.
	startAt map[int][]int
	folded  map[int]bool
	// finds is what the provider finds if the first change is at a unit, warm if nothing
	// changes.
	finds []int
	warm  int
	// saved is what a cut here frees of what was sent, lasting the part of saved that would cause a cut by itself, waited that times
	// the requests since it could have gone, newSaved what leaves of what was never sent.
	saved, lasting, waited, newSaved float64
	// risky is how many texts of that an edit may quote.
	risky int
}

func newSweep(a *account, m Moment, candidates []candidate, folds []fold) *sweep {
	s := &sweep{account: a, m: m, candidates: make(map[int]candidate, len(candidates)), folds: folds, startAt: map[int][]int{}, folded: map[int]bool{}}
	for _, c := range candidates {
		s.candidates[c.unit] = c
	}
	for i, f := range folds {
		s.startAt[f.start] = append(s.startAt[f.start], i)
	}
	s.findings()
	return s
}

// findings works out what the provider finds for each first change, in one pass.
func (s *sweep) findings() {
	s.finds = make([]int, s.sent+1)
	anchors, held, tokens := s.anchors, s.m.Head, s.m.Head
	for at := range s.finds {
		for len(anchors) > 0 && anchors[0].units <= at {
			if s.m.Cache.Alive(s.m.At.Sub(anchors[0].used)) {
				held = tokens
			}
			anchors = anchors[1:]
		}
		s.finds[at] = s.m.Cache.whole(tokens)
		if s.m.Cache.Kind == CacheMarks {
			s.finds[at] = s.m.Cache.whole(held)
		}
		if at < s.sent {
			tokens += s.units[at].tokens
		}
	}
	s.warm = s.finds[s.sent]
}

// cuts lists the places where a cut may begin, from the tail to the head.
func (s *sweep) cuts() []cut {
	var cuts []cut
	for at := len(s.units) - 1; at >= 0; at-- {
		hard := s.takeUnit(at)
		if s.takeFolds(at) || hard {
			cuts = append(cuts, s.cut(at))
		}
	}
	return cuts
}

// takeUnit adds up a candidate, and reports whether it may cause a cut.
func (s *sweep) takeUnit(at int) bool {
	c, ok := s.candidates[at]
	if !ok || s.folded[at] {
		return false
	}
	saves, ok := s.freed(c)
	if !ok {
		return false
	}
	if c.why != Free && c.why != Unnumbered && (c.hard() || at < s.sent) && s.units[at].quotable() {
		s.risky++
	}
	if c.why == Hollow {
		s.risky += s.shortTexts(s.units[at].fact)
	}
	switch {
	case at < s.sent:
		s.saved += saves
		if c.hard() {
			s.lasting += saves
			s.waited += saves * float64(s.request-c.since)
		}
	case c.hard():
		s.newSaved += saves
	}
	return c.hard()
}

// shortTexts returns how many texts that an edit may quote leave with a call that was never
// shortened.
func (cv *conversation) shortTexts(f *fact) int {
	texts := 0
	for _, at := range f.call()[1:] {
		if u := &cv.units[at]; u.isShown() && u.quotable() && !f.covered {
			texts++
		}
	}
	return texts
}

// freed is what a candidate frees beyond what those do that were passed; false where a
// fold has a part of it.
func (s *sweep) freed(c candidate) (tokens float64, ok bool) {
	u := &s.units[c.unit]
	if c.why != Hollow {
		return float64(s.frees(c)), true
	}
	freed := s.pairTokens(u.fact)
	for _, part := range u.fact.pair()[1:] {
		if s.folded[part] {
			return 0, false
		}
		if _, counted := s.candidates[part]; counted {
			freed -= s.units[part].saves()
		}
	}
	return float64(freed), true
}

// frees is what a candidate frees that is no call with its answer.
func (cv *conversation) frees(c candidate) int {
	if c.why == Unnumbered {
		return cv.units[c.unit].numbered
	}
	return cv.units[c.unit].saves()
}

// takeFolds adds up the folds that begin at a unit: what they free beyond what their
// units do by themselves. They and the answer that holds the copy were passed before.
func (s *sweep) takeFolds(at int) bool {
	for _, i := range s.startAt[at] {
		gain := float64(s.folds[i].saves)
		for _, part := range append([]int{s.folds[i].target}, s.folds[i].parts()...) {
			s.folded[part] = true
		}
		gain -= float64(s.folds[i].alone(s.conversation, s.candidates))
		s.saved += gain
		s.lasting += gain
	}
	return len(s.startAt[at]) > 0
}

func (s *sweep) cut(at int) cut {
	r, w := s.m.Price.Read, s.m.Price.Write
	if at >= s.sent || s.m.Cold || !s.sentOnce || s.m.Cache.Kind == CacheNone {
		freed := s.saved + s.newSaved
		return cut{at: at, atOnce: true, risky: s.risky, dearer: -w * freed, saves: r * freed, freed: freed}
	}
	dearer := (w-r)*float64(s.warm-s.finds[at]) - w*s.saved
	worth := r * (s.horizon()*s.lasting + waitShare*s.waited)
	return cut{at: at, risky: s.risky, dearer: dearer, worth: worth - dearer, saves: r * s.saved, freed: s.saved}
}

// horizon is the number of requests within which a cut must pay back.
func (cv *conversation) horizon() float64 { return max(horizon, horizonShare*float64(cv.request)) }

// changes lists everything that accompanies a cut at a unit: what is hard, and of
// what was sent before also what is soft.
func (e *Engine) changes(at int, candidates []candidate, folds []fold) []Change {
	var changes []Change
	gone := map[int]bool{}
	for _, f := range folds {
		if f.start < at {
			continue
		}
		for _, call := range f.calls {
			changes = append(changes, e.pairChange(call))
			for _, part := range call.pair() {
				gone[part] = true
			}
		}
		for _, i := range f.units {
			if i != f.target {
				changes = append(changes, e.change(i, Folded))
				gone[i] = true
			}
		}
		changes = append(changes, e.copyOf(f))
		gone[f.target] = true
	}
	for _, c := range candidates {
		if f := e.units[c.unit].fact; c.why == Hollow && c.unit >= at && !slices.ContainsFunc(f.pair(), func(part int) bool { return gone[part] }) {
			changes = append(changes, e.pairChange(f))
			for _, part := range f.pair() {
				gone[part] = true
			}
		}
	}
	for _, c := range candidates {
		if c.why == Hollow || c.unit < at || gone[c.unit] || !c.hard() && c.unit >= e.account.sent {
			continue
		}
		changes = append(changes, e.change(c.unit, c.why))
	}
	slices.SortFunc(changes, func(a, b Change) int { return cmp.Compare(a.unit, b.unit) })
	return changes
}

func (cv *conversation) change(at int, why Why) Change {
	u := &cv.units[at]
	c := Change{Entry: u.entry, Kind: u.kind(), Subject: u.subject(), Paths: u.fact.paths, Why: why, Tokens: u.saves(), Idle: cv.idle(u), unit: at}
	if r, ok := cv.entries[u.entry].Blocks[u.block].(*history.ToolResponse); ok && why == Unnumbered {
		c.Text, c.Tokens = withoutNumbers(r.Result.Text()), u.numbered
	}
	return c
}

// pairChange is a call that leaves with its answer.
func (cv *conversation) pairChange(f *fact) Change {
	u := &cv.units[f.head]
	return Change{Entry: u.entry, Kind: "call", Subject: u.subject(), Paths: u.fact.paths, Why: Hollow, Tokens: cv.pairTokens(f), unit: f.head}
}

// copyOf is the answer that holds the current text of a folded file.
func (cv *conversation) copyOf(f fold) Change {
	c := cv.change(f.target, Folded)
	c.Text, c.Tokens = f.text, cv.units[f.target].tokens-f.tokens
	return c
}
