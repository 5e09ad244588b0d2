package main

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"agent/internal/compression"
	"agent/internal/history"
	"agent/internal/offline/judge"
	"agent/internal/toolspec"
)

// byLetter counts one token for each byte.
type byLetter struct{}

func (byLetter) Count(text string) int { return len(text) }

// options returns the options of an engine that has two tools and counts with byLetter.
func options() compression.EngineOptions {
	return compression.EngineOptions{
		Tools: func(name string) toolspec.Traits {
			return map[string]toolspec.Traits{
				"read": {Reads: true, File: []string{"path"}},
				"edit": {Edits: true, File: []string{"path"}, Density: toolspec.Density{Old: []string{"old"}, New: []string{"new"}}},
			}[name]
		},
		Root: "/w", Counter: func() history.Counter { return byLetter{} },
	}
}

// said returns a conversation of calls. Each call has a tool, its parameters and its answer.
func said(calls ...[3]string) []*history.Content {
	entries := []*history.Content{history.HumanText("change commonName")}
	for i, c := range calls {
		id := fmt.Sprint(i)
		entries = append(entries,
			history.New(history.AI, &history.ToolCall{ID: id, Name: c[0], Parameters: json.RawMessage(c[1])}),
			history.New(history.Tool, &history.ToolResponse{CallID: id, ToolName: c[0], Result: history.TextResult(c[2])}))
	}
	return entries
}

// The optimum equals the least cost of all choices of cuts, on small random recordings.
func TestOptimumAgainstAllChoices(t *testing.T) {
	t.Parallel()
	for seed := range 200 {
		rng := rand.New(rand.NewPCG(uint64(seed), 1))
		count := 3 + rng.IntN(3)
		r := &judge.Recording{Replies: make([]judge.Reply, count)}
		var dead []int
		for k := range count {
			for range 1 + rng.IntN(2) {
				r.Parts = append(r.Parts, compression.RecordedUnit{Request: k, Tokens: 110 + rng.IntN(600), Left: rng.IntN(4)})
				d := k + rng.IntN(count+2)
				if rng.IntN(2) == 0 {
					d = forever
				}
				dead = append(dead, d)
			}
		}
		q := requests{Head: 10, Cold: make([]bool, count)}
		for k := range q.Cold {
			q.Cold[k] = k == 0 || rng.IntN(5) == 0
		}
		for _, q.Price = range []compression.Price{{Read: .1, Write: 1.25}, {Read: .25, Write: 1}, {Read: 1, Write: 1}} {
			got := newOptimum(r, dead, q).least()
			if want := leastByTrying(r, dead, q); math.Abs(got-want) > 1e-6 {
				t.Fatalf("seed %d, %v: optimum %v, all choices give %v", seed, q.Price, got, want)
			}
		}
	}
}

// leastByTrying tries every position of a cut, or no cut, at each request.
func leastByTrying(r *judge.Recording, dead []int, q requests) float64 {
	best := math.Inf(1)
	cuts := make([]int, len(q.Cold))
	var try func(k int)
	try = func(k int) {
		if k == len(cuts) {
			best = min(best, costOfCuts(r, dead, q, cuts))
			return
		}
		for at := range len(r.Parts) + 1 {
			if at < len(r.Parts) && (r.Parts[at].Request > k || dead[at] > k) {
				continue
			}
			cuts[k] = at
			try(k + 1)
		}
	}
	try(0)
	return best
}

// costOfCuts returns the cost of the requests if each cut removes all unnecessary parts after it.
func costOfCuts(r *judge.Recording, dead []int, q requests, cuts []int) float64 {
	tokens := make([]int, len(r.Parts))
	for at, p := range r.Parts {
		tokens[at] = p.Tokens
	}
	cost := 0.0
	for k, cut := range cuts {
		for at := cut; at < len(tokens); at++ {
			if dead[at] <= k && r.Parts[at].Request <= k {
				tokens[at] = r.Parts[at].Left
			}
		}
		cached, total := q.Head, q.Head
		for at, p := range r.Parts {
			if p.Request > k {
				break
			}
			total += tokens[at]
			if p.Request < k && at < cut {
				cached += tokens[at]
			}
		}
		if q.Cold[k] {
			cached = 0
		}
		cost += q.Price.Read*float64(cached) + q.Price.Write*float64(total-cached)
	}
	return cost
}

// A stricter rule for necessary parts never lowers the cost, and never raises it above the cost of
// sending everything.
func TestOptimumOfNeeds(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("rareName and more text of a file\n", 40)
	r := judge.New(said(
		[3]string{"read", `{"path":"a"}`, long},
		[3]string{"search", `{"pattern":"x"}`, long},
		[3]string{"edit", `{"path":"a","old":"and more","new":"x"}`, "done"},
		[3]string{"search", `{"pattern":"rareName"}`, "ok"},
		[3]string{"search", `{"pattern":"y"}`, "ok"},
	), options())
	q := requests{Price: compression.SafePrice, Head: 100, Cold: []bool{true, false, false, false, false}}
	quotes, words := leastCost(r, false, q), leastCost(r, true, q)
	if quotes > words || words >= 1 || quotes <= 0 {
		t.Errorf("optimum %v with quotes, %v with words", quotes, words)
	}
}
