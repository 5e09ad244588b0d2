package judge

import "agent/internal/compression/cacheaware"

// Requests is what the price of a recording's requests depends on besides its units.
type Requests struct {
	Price cacheaware.Price
	// Head is the size of what is before the conversation, in tokens.
	Head int
	// Cold says of each request that nothing of it was cached.
	Cold []bool
}

// leastItem is the size from which a unit's removal is weighed, in tokens. Smaller ones
// vanish for nothing the moment they are not needed any more.
const leastItem = 100

// MaxOptimum is the most requests of which Optimum is found in bearable time, which
// grows with their third power.
const MaxOptimum = 600

// Optimum is the least that the recording could have cost, as a share of what sending
// everything costs: units leave when they are not needed any more, at the best of all
// times, by a person that knows what comes. It is a lower bound, found by dynamic
// programming over the times and places of cuts. What applied edits quote is needed, and if
// words is set every rare word that a reply uses too.
//
// The units are taken from the last to the first. best[a][b] is the least that the
// units from the present one on cost beyond vanishing for nothing, if the context is
// cut in front of all of them at the requests a and b and nowhere between: those that
// are dead by b either wait for that, or a cut at their own place splits the interval
// in two.
func (r *Recording) Optimum(words bool, q Requests) float64 {
	o := newOptimum(r, r.needs(words), q)
	if o.none == 0 {
		return 1
	}
	return o.least() / o.none
}

// needs returns of each unit the first request at which it may be missing.
func (r *Recording) needs(words bool) []int {
	dead := make([]int, len(r.parts))
	for at := range r.parts {
		switch p := &r.parts[at]; {
		case p.Fixed:
			dead[at] = forever
		case p.Quote:
			dead[at] = p.Request // the text it quotes is gone: it need not be sent at all
		default:
			dead[at] = p.Request + 1 // it is seen once
		}
	}
	for k := range r.Replies {
		for _, q := range r.Replies[k].Quotes {
			if q.Applied && q.Shown && !q.fixed {
				dead[q.newest] = max(dead[q.newest], k+1)
			}
		}
		if words {
			for _, rare := range r.Replies[k].rare {
				dead[rare.newest] = max(dead[rare.newest], k+1)
			}
		}
	}
	return dead
}

const forever = 1 << 30

// item is a unit that may leave at a price.
type item struct {
	part       int
	saves      float64
	sent, dead int
}

type optimum struct {
	Requests
	// rate is what a token that was sent before costs at each request, sum its sums.
	rate, sum []float64
	items     []item
	// none is what sending everything costs, base that less what the small units cost
	// after their end.
	none, base float64
	// again is, of each item, what has to be billed again for a cut in front of it, by
	// request.
	again [][]float64
}

func newOptimum(r *Recording, dead []int, q Requests) *optimum {
	o := &optimum{Requests: q, sum: make([]float64, len(q.Cold)+1), rate: make([]float64, len(q.Cold))}
	for k, cold := range q.Cold {
		o.rate[k] = q.Price.Read
		if cold {
			o.rate[k] = q.Price.Write
		}
		o.sum[k+1] = o.sum[k] + o.rate[k]
	}
	o.none = o.costOfAll(r)
	o.base = o.none
	stays := make([]float64, len(r.parts)) // tokens of a unit at its smallest, while it lives
	for at := range r.parts {
		p := &r.parts[at]
		stays[at] = float64(p.Tokens)
		saves := float64(p.Tokens - p.Left)
		if dead[at] >= len(q.Cold) || p.Request >= len(q.Cold) || saves <= 0 {
			continue
		}
		i := item{at, saves, p.Request, dead[at]}
		if saves < leastItem {
			stays[at] = float64(p.Left)
			o.base -= o.carry(i, i.dead, len(q.Cold))
			continue
		}
		o.items = append(o.items, i)
	}
	o.weigh(r, stays)
	return o
}

func (o *optimum) costOfAll(r *Recording) float64 {
	cost, total, at := 0.0, float64(o.Head), 0
	for k, cold := range o.Cold {
		before := total
		if k == 0 || cold {
			before = 0
		}
		for ; at < len(r.parts) && r.parts[at].Request <= k; at++ {
			total += float64(r.parts[at].Tokens)
		}
		cost += o.Price.Read*before + o.Price.Write*(total-before)
	}
	return cost
}

// carry is what an item costs from a request to another although nobody needs it.
func (o *optimum) carry(i item, from, to int) float64 {
	if from >= to {
		return 0
	}
	rates := o.sum[to] - o.sum[from]
	if from <= i.sent && i.sent < to {
		rates += o.Price.Write - o.rate[i.sent]
	}
	return rates * i.saves
}

// weigh works out what has to be billed again behind each cut.
func (o *optimum) weigh(r *Recording, stays []float64) {
	o.again = make([][]float64, len(o.items))
	for n := range o.again {
		o.again[n] = make([]float64, len(o.Cold))
	}
	for k, cold := range o.Cold {
		if cold {
			continue
		}
		behind, next := 0.0, len(o.items)-1
		for at := len(r.parts) - 1; at >= 0; at-- {
			here := next >= 0 && o.items[next].part == at
			if r.parts[at].Request < k {
				if here && o.items[next].dead <= k {
					behind += float64(r.parts[at].Left)
				} else {
					behind += stays[at]
				}
			}
			if here {
				o.again[next][k] = (o.Price.Write - o.Price.Read) * behind
				next--
			}
		}
	}
}

// least is the least cost.
func (o *optimum) least() float64 {
	requests := len(o.Cold)
	width := requests + 2
	cell := func(a, b int) int { return (a+1)*width + b } // a begins at -1
	behind, best := make([]float64, width*width), make([]float64, width*width)
	column := make([]float64, width) // best[t][b] by t: what is read in a row lies in a row
	cost := o.base
	for n := len(o.items) - 1; n >= 0; n-- {
		i, again := o.items[n], o.again[n]
		cost -= o.carry(i, i.dead, requests)
		for b := 1; b <= requests; b++ {
			for a := b - 1; a >= -1; a-- {
				least := behind[cell(a, b)]
				if i.dead > a && i.dead <= b {
					least = split(least+o.carry(i, i.dead, b), max(i.dead, a+1), again[:b], best[cell(a, 0):], column)
				}
				best[cell(a, b)] = least
				column[max(a, 0)] = least // that of a = -1 is the last, and never read
			}
		}
		behind, best = best, behind
	}
	return cost + behind[cell(-1, requests)]
}

// split is the least of an interval whose item waits for its end, or has a cut of its own
// at one of the requests from first on, with what the two halves then cost. Costs are
// never below zero, so a cut that is too dear alone is not looked at.
func split(least float64, first int, again, before, after []float64) float64 {
	for t := first; t < len(again); t++ {
		if again[t] < least {
			least = min(least, again[t]+before[t]+after[t])
		}
	}
	return least
}
