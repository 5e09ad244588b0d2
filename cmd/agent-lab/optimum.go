package main

import (
	"agent/internal/compression"
	"agent/internal/offline/judge"
)

// requests holds the facts, besides the units, that determine the price of a recording's
// requests.
type requests struct {
	Price compression.Price
	// Head is the size of the system prompt and tools before the conversation, in tokens.
	Head int
	// Cold reports for each request whether the cache held no part of it.
	Cold []bool
}

// leastItem is the size, in tokens, from which leastCost computes the best time to remove a unit. Smaller
// units cost nothing after the request at which they become outdated.
const leastItem = 100

// maxOptimum is the largest number of requests for which leastCost runs in acceptable time. The time grows
// with the third power of the number.
const maxOptimum = 600

// leastCost returns the least possible cost of the recording, as a share of the cost of sending
// everything. Units are removed when they are no longer needed, at the best possible times, as if the
// rest of the conversation were known. The quotes of applied edits are needed and, if words is set,
// every rare word in a reply. The result is a lower bound. It is found by dynamic programming over the
// requests at which cuts are made, and the units in front of which they are made.
//
// The algorithm handles the units from the last to the first. best[a][b] is the least extra cost of the
// units from the current one on, compared with removing them at no cost. It assumes that the context is
// cut in front of all these units at the requests a and b, and not in between. A unit that is no longer
// needed at b either waits for b, or a separate cut in front of it splits the interval in two.
func leastCost(r *judge.Recording, words bool, q requests) float64 {
	o := newOptimum(r, neededUntil(r, words), q)
	if o.none == 0 {
		return 1
	}
	return o.least() / o.none
}

// neededUntil returns for each unit the first request that no longer needs it.
func neededUntil(r *judge.Recording, words bool) []int {
	dead := make([]int, len(r.Parts))
	for at := range r.Parts {
		switch p := &r.Parts[at]; {
		case p.Fixed:
			dead[at] = forever
		case p.Quote:
			dead[at] = p.Request // the quoted text has been replaced, so the quote need not be sent at all
		default:
			dead[at] = p.Request + 1 // the model must see it once
		}
	}
	for k := range r.Replies {
		for _, q := range r.Replies[k].Quotes {
			if q.Applied && q.Shown && !q.Fixed {
				dead[q.Newest] = max(dead[q.Newest], k+1)
			}
		}
		if words {
			for _, rare := range r.Replies[k].Rare {
				dead[rare.Newest] = max(dead[rare.Newest], k+1)
			}
		}
	}
	return dead
}

const forever = 1 << 30

// An item is a unit large enough for its removal to have a price.
type item struct {
	part       int
	saves      float64
	sent, dead int
}

type optimum struct {
	requests
	// rate is the price of a token that was already sent, at each request. sum holds the prefix sums of
	// rate.
	rate, sum []float64
	items     []item
	// none is the cost of sending everything. base is none minus the cost that small units would cause
	// after they are outdated.
	none, base float64
	// again holds, by item and request, the extra cost of a cut in front of the item at the request. A cut
	// costs extra because the content after it is billed again.
	again [][]float64
}

func newOptimum(r *judge.Recording, dead []int, q requests) *optimum {
	o := &optimum{requests: q, sum: make([]float64, len(q.Cold)+1), rate: make([]float64, len(q.Cold))}
	for k, cold := range q.Cold {
		o.rate[k] = q.Price.Read
		if cold {
			o.rate[k] = q.Price.Write
		}
		o.sum[k+1] = o.sum[k] + o.rate[k]
	}
	o.none = o.costOfAll(r)
	o.base = o.none
	stays := make([]float64, len(r.Parts)) // tokens of a unit at its smallest size, until it is removed
	for at := range r.Parts {
		p := &r.Parts[at]
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

func (o *optimum) costOfAll(r *judge.Recording) float64 {
	cost, total, at := 0.0, float64(o.Head), 0
	for k, cold := range o.Cold {
		before := total
		if k == 0 || cold {
			before = 0
		}
		for ; at < len(r.Parts) && r.Parts[at].Request <= k; at++ {
			total += float64(r.Parts[at].Tokens)
		}
		cost += o.Price.Read*before + o.Price.Write*(total-before)
	}
	return cost
}

// carry returns the cost of sending an item that is no longer needed, from one request to another.
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

// weigh fills again with the cost of billing the content after each cut again.
func (o *optimum) weigh(r *judge.Recording, stays []float64) {
	o.again = make([][]float64, len(o.items))
	for n := range o.again {
		o.again[n] = make([]float64, len(o.Cold))
	}
	for k, cold := range o.Cold {
		if cold {
			continue
		}
		behind, next := 0.0, len(o.items)-1
		for at := len(r.Parts) - 1; at >= 0; at-- {
			here := next >= 0 && o.items[next].part == at
			if r.Parts[at].Request < k {
				if here && o.items[next].dead <= k {
					behind += float64(r.Parts[at].Left)
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

// least returns the least possible cost.
func (o *optimum) least() float64 {
	last := len(o.Cold)
	width := last + 2
	cell := func(a, b int) int { return (a+1)*width + b } // a is -1 before the first element
	behind, best := make([]float64, width*width), make([]float64, width*width)
	column := make([]float64, width) // best[t][b] by t, contiguous because split reads it in this order
	cost := o.base
	for n := len(o.items) - 1; n >= 0; n-- {
		i, again := o.items[n], o.again[n]
		cost -= o.carry(i, i.dead, last)
		for b := 1; b <= last; b++ {
			for a := b - 1; a >= -1; a-- {
				least := behind[cell(a, b)]
				if i.dead > a && i.dead <= b {
					least = split(least+o.carry(i, i.dead, b), max(i.dead, a+1), again[:b], best[cell(a, 0):], column)
				}
				best[cell(a, b)] = least
				column[max(a, 0)] = least // a = -1 comes last; its value is never read
			}
		}
		behind, best = best, behind
	}
	return cost + behind[cell(-1, last)]
}

// split returns the least cost of an interval. Either the item of the interval waits until its end, at the
// cost least. Or a separate cut is made at one of the requests from first on. That cut costs again, and
// splits the interval in two. Costs are never below zero, so split skips a cut that alone is too expensive.
func split(least float64, first int, again, before, after []float64) float64 {
	for t := first; t < len(again); t++ {
		if again[t] < least {
			least = min(least, again[t]+before[t]+after[t])
		}
	}
	return least
}
