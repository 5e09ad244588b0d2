package cacheaware

import (
	"math"
	"time"
)

// Price is what a token of input costs, relative to one that is not cached.
type Price struct{ Read, Write float64 }

// SafePrice is assumed for models of unknown price: a decision that pays at this
// price pays at any other with a smaller ratio of write to read.
var SafePrice = Price{Read: 0.1, Write: 1.25}

// Moment is what is known when a request is about to be sent.
type Moment struct {
	Price Price
	// Head is the size of what stands before the conversation: system prompt and
	// tools.
	Head int
	// Cold says that nothing of the context can be in the provider's cache.
	Cold bool
	// Pace scales the patience of all classes; 0 is 1.
	Pace float64
	// Patience, when above 0, is the share of it that pressure on the window
	// leaves; Pressed says that the price is not asked.
	Patience float64
	Pressed  bool
	// Files returns the text of a file on disk if it still is what the
	// conversation last saw of it. Nil where there is no disk.
	Files func(path string) (string, bool)
}

func (m Moment) pace() float64 {
	if m.Pace > 0 {
		return m.Pace
	}
	return 1
}

// softShare is the share of its patience from which a unit goes along with a cut.
func (m Moment) softShare() float64 {
	if m.Cold {
		return softShareCold
	}
	return softShare
}

const (
	// softShare is the share of its patience from which a unit is soft, softShareCold
	// that while nothing is cached and a cut costs nothing.
	softShare     = 0.35
	softShareCold = 0.2
)

// TTL is how long a provider keeps a prefix cached unless it is said otherwise.
const TTL = 5 * time.Minute

const (
	// horizon is within how many requests a cut must pay back, or horizonShare of
	// those made so far: a long session tends to go on for long.
	horizon      = 15
	horizonShare = 0.15
	// debt is the share of what sending everything has cost so far by which the
	// bank may be overdrawn: without it nothing could ever begin.
	debt = 0.0025
	// inHand is how many faults the bank must be able to pay for: another request,
	// and faultTokens of content read again.
	inHand      = 0.1
	faultTokens = 2000
)

// account is the running comparison with sending everything.
type account struct {
	// none is what sending everything would have cost up to the latest request,
	// spent what was spent.
	none, spent float64
	// sent is the number of units of the latest request, size its tokens, unpruned
	// those of the request that would have held everything.
	sent, unpruned int
	sentOnce       bool
	// kept is the number of units at the start that are as they were sent.
	kept int
}

// Plan says what should leave the context before the next request.
type Plan struct {
	Changes []Change
	// Paid is by how much the request gets dearer through the cut, in tokens at the
	// full price of input; below zero where it gets cheaper at once.
	Paid float64
	// Saves is what the cut saves with each request that follows.
	Saves float64
	// Bank is what pruning had saved before, less what faults may cost.
	Bank float64

	first int
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
	// within the horizon less that.
	dearer, worth, saves float64
	// atOnce says that nothing has to be billed again.
	atOnce bool
	// risky says that something of it may be asked for again.
	risky bool
}

// Plan looks for the cut that is worth most.
func (e *Engine) Plan(m Moment) Plan {
	candidates := e.candidates(m)
	folds := e.folds(m, candidates)
	cuts, newSaved := e.cuts(m, candidates, folds)
	bank := e.bank(m, newSaved)
	best := choose(cuts, bank, m.Pressed)
	if best == nil {
		return Plan{Bank: bank, first: len(e.units)}
	}
	plan := Plan{Paid: best.dearer, Saves: best.saves, Bank: bank, first: best.at}
	plan.Changes = e.changes(best.at, candidates, folds)
	return plan
}

// choose takes the first free cut nearest to the head, or the dearer one that is
// worth most.
func choose(cuts []cut, bank float64, pressed bool) *cut {
	var best *cut
	worth := 0.0
	for i := range cuts {
		c := &cuts[i]
		affordable := c.dearer <= bank || pressed
		switch {
		case pressed:
			best = c
		case c.atOnce:
			best = c
		case c.worth > worth && (affordable || c.dearer <= 0):
			best, worth = c, c.worth
		}
	}
	return best
}

// cuts weighs every place where a cut may begin, from the tail to the head. It
// also returns what the new units free, which the uncut request would not hold.
func (e *Engine) cuts(m Moment, candidates []candidate, folds []fold) (cuts []cut, newSaved float64) {
	byUnit := make(map[int]candidate, len(candidates))
	for _, c := range candidates {
		byUnit[c.unit] = c
	}
	foldsAt := map[int][]int{}
	for i, f := range folds {
		foldsAt[f.start] = append(foldsAt[f.start], i)
	}
	var behind, saved, lasting float64
	risky := false
	folded := map[int]bool{}
	cold := m.Cold || !e.account.sentOnce
	for at := len(e.units) - 1; at >= 0; at-- {
		u := &e.units[at]
		old := at < e.account.sent
		if old {
			behind += float64(u.tokens)
		}
		begins := false
		if c, ok := byUnit[at]; ok && !folded[at] {
			risky = risky || c.why != Free && (c.hard() || old)
			switch {
			case old:
				saved += float64(u.saves())
				if c.hard() {
					lasting += float64(u.saves())
				}
			case c.hard():
				newSaved += float64(u.saves())
			}
			begins = c.hard()
		}
		for _, i := range foldsAt[at] {
			gain := float64(folds[i].saves)
			for _, part := range folds[i].units {
				folded[part] = true
				if _, counted := byUnit[part]; counted && part >= at {
					gain -= float64(e.units[part].saves())
				}
			}
			saved, lasting, begins = saved+gain, lasting+gain, true
		}
		if !begins {
			continue
		}
		r, w := m.Price.Read, m.Price.Write
		if !old || cold {
			cuts = append(cuts, cut{at: at, atOnce: true, dearer: -w * (saved + newSaved), saves: r * (saved + newSaved), risky: risky})
			continue
		}
		dearer := (w-r)*(behind-saved) - r*saved
		cuts = append(cuts, cut{at: at, dearer: dearer, worth: e.horizon()*r*lasting - dearer, saves: r * saved, risky: risky})
	}
	return cuts, newSaved
}

// bank is by how much the next request may get dearer, so that the sum of what
// was spent stays at or below what sending everything would have cost.
func (e *Engine) bank(m Moment, newSaved float64) float64 {
	r, w := m.Price.Read, m.Price.Write
	none := e.account.none + e.costOfAll(m)
	cached := 0
	if e.account.sentOnce && !m.Cold {
		cached = m.Head
		for i := range e.account.sent {
			cached += e.units[i].tokens
		}
	}
	total := float64(m.Head + e.total)
	uncut := float64(cached)*r + (total-float64(cached))*w
	return none - e.account.spent - (uncut - w*newSaved) + debt*none - inHand*(r*total+w*faultTokens)
}

// costOfAll is what the next request would cost if nothing had ever been pruned.
func (e *Engine) costOfAll(m Moment) float64 {
	all := float64(m.Head + e.unpruned)
	cached := 0.0
	if e.account.sentOnce && !m.Cold {
		cached = float64(m.Head + e.account.unpruned)
	}
	return cached*m.Price.Read + (all-cached)*m.Price.Write
}

// changes lists everything that goes with a cut at a unit: what is hard, and of
// what was sent before also what is soft.
func (e *Engine) changes(at int, candidates []candidate, folds []fold) []Change {
	var changes []Change
	gone := map[int]bool{}
	for _, f := range folds {
		if f.start < at {
			continue
		}
		for _, i := range f.units {
			if i != f.target {
				changes = append(changes, e.change(i, Folded))
				gone[i] = true
			}
		}
		copy := e.change(f.target, Folded)
		copy.Text, copy.Tokens = f.text, e.units[f.target].tokens-f.tokens
		changes = append(changes, copy)
		gone[f.target] = true
	}
	for _, c := range candidates {
		if c.unit < at || gone[c.unit] || !c.hard() && c.unit >= e.account.sent {
			continue
		}
		changes = append(changes, e.change(c.unit, c.why))
	}
	return changes
}

func (e *Engine) change(at int, why Why) Change {
	u := &e.units[at]
	return Change{Entry: u.entry, Block: u.block, Kind: u.kind(), Subject: u.subject(), Why: why, Tokens: u.saves(), unit: at}
}

// horizon is the number of requests within which a cut must pay back.
func (e *Engine) horizon() float64 { return max(horizon, horizonShare*float64(e.request)) }
