package judge

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"agent/internal/compression/cacheaware"
	"agent/internal/history"
	"agent/internal/traits"
)

// byLetter counts a token for each byte.
type byLetter struct{}

func (byLetter) Count(text string) int { return len(text) }

// options count so.
func options() cacheaware.Options {
	return cacheaware.Options{
		Tools: func(name string) traits.Traits {
			return map[string]traits.Traits{
				"read":  {Reads: true, File: []string{"path"}},
				"edit":  {Edits: true, File: []string{"path"}, Density: traits.Density{Old: []string{"old"}, New: []string{"new"}}},
				"patch": {Edits: true, Density: traits.Density{Patch: []string{"patch"}}},
			}[name]
		},
		Root: "/w", Counter: func() history.Counter { return byLetter{} },
	}
}

// said is a conversation of calls, each a tool, its parameters and its answer.
func said(calls ...[3]string) []*history.Content {
	entries := []*history.Content{history.HumanText("change commonName")}
	for i, c := range calls {
		id := fmt.Sprint(i)
		response := &history.ToolResponse{CallID: id, ToolName: c[0], Result: history.TextResult(c[2])}
		if c[2] == "failed" {
			response.Error = c[2]
		}
		entries = append(entries,
			history.New(history.AI, &history.ToolCall{ID: id, Name: c[0], Parameters: json.RawMessage(c[1])}),
			history.New(history.Tool, response))
	}
	return entries
}

// What an edit quotes is known with what showed it: the shortest answer, else what the
// model wrote. Failed edits count as such, and what nothing showed is not blinded.
func TestQuotes(t *testing.T) {
	t.Parallel()
	r := New(said(
		[3]string{"read", `{"path":"a"}`, "one\ntwo\nthree, and a lot more"},
		[3]string{"read", `{"path":"a"}`, "  1|one\n  2|two"},
		[3]string{"edit", `{"path":"a","old":"one\ntwo","new":"four"}`, "done"},
		[3]string{"edit", `{"path":"a","old":"four","new":"five"}`, "failed"},
		[3]string{"patch", `{"patch":"*** Begin Patch\n*** Update File: a\n@@\n-five\n+six\n*** End Patch"}`, "done"},
		[3]string{"edit", `{"path":"a","old":"unheard of","new":""}`, "done"},
	), options())
	for reply, want := range map[int]Quote{
		2: {Quote: cacheaware.Quote{Reply: 2, Path: "/w/a", Text: "one\ntwo", Applied: true}, Shown: true, Source: "one\ntwo"},
		3: {Quote: cacheaware.Quote{Reply: 3, Path: "/w/a", Text: "four"}, Shown: true, Source: "four"},
		4: {Quote: cacheaware.Quote{Reply: 4, Path: "/w/a", Text: "five", Applied: true}, Shown: true, Source: "five"},
		5: {Quote: cacheaware.Quote{Reply: 5, Path: "/w/a", Text: "unheard of", Applied: true}},
	} {
		got := r.Replies[reply].Quotes
		if len(got) != 1 || got[0].Quote != want.Quote || got[0].Shown != want.Shown || got[0].Source != want.Source {
			t.Errorf("reply %d: %+v, want %+v", reply, got, want)
		}
	}
}

// A rare word is lost when nothing that is left holds it. Words that a human said, that
// stand in the head of a call, or that the reply itself brings up, are never.
func TestRareWords(t *testing.T) {
	t.Parallel()
	entries := said(
		[3]string{"read", `{"path":"headName.go"}`, "func rareName() { commonName() }"},
		[3]string{"search", `{"pattern":"x"}`, "rareName and otherName"},
		[3]string{"shell", `{"command":"rareName commonName headName otherName newName"}`, "ok"},
	)
	r := New(entries, options())
	if got := r.Replies[2]; got.Rare != 2 || got.Named != 4 {
		t.Errorf("%d rare words of %d, want 2 of 4", got.Rare, got.Named)
	}
	pruned := func(at int) *history.Content {
		b := entries[at].Blocks[0].(*history.ToolResponse)
		return entries[at].WithBlocks([]history.Block{b.WithResult("[pruned]")})
	}
	s := NewSight(r)
	for _, c := range []struct {
		id      string
		visible []*history.Content
		want    int
	}{
		{"all is there", entries[:5], 0},
		{"one of two copies is gone", []*history.Content{entries[0], entries[1], pruned(2), entries[3], entries[4]}, 0},
		{"both are", []*history.Content{entries[0], entries[1], pruned(2), entries[3], pruned(4)}, 2},
		{"entries left", entries[:3], 1},
		{"and came back", entries[:5], 0},
	} {
		if s.See(c.visible); s.Lost(r.Replies[2]) != c.want {
			t.Errorf("%s: %d words lost, want %d", c.id, s.Lost(r.Replies[2]), c.want)
		}
	}
}

// Text is seen in whatever kind of block, numbered or not.
func TestShows(t *testing.T) {
	t.Parallel()
	response := func(result, failure string) history.Block {
		return &history.ToolResponse{Result: history.TextResult(result), Error: failure}
	}
	for _, c := range []struct {
		id   string
		see  history.Block
		old  string
		want bool
	}{
		{"text", &history.Text{Text: "say old text"}, "old text", true},
		{"inclusion", history.NewInclusion("a", "old\n\ttext"), "old\n\ttext", true},
		{"result", response("x\nold\ntext\n", ""), "old\ntext", true},
		{"error", response("", "nearest: old text"), "old text", true},
		{"other text", response("old  text", ""), "old text", false},
		{"argument", &history.ToolCall{Parameters: []byte(`{"edits":[{"content":"the \"old\"\n text"}]}`)}, "\"old\"\n text", true},
		{"name of an argument", &history.ToolCall{Parameters: []byte(`{"old":1}`)}, "old", false},
		{"malformed arguments", &history.ToolCall{Parameters: []byte(`{"old`)}, "old", false},
		{"thinking is not sent", &history.Thinking{Thought: "old"}, "old", false},
		{"numbered lines", response(" 9|func a() {\n10|\treturn\n11|}\n", ""), "a() {\n\treturn\n}", true},
		{"numbered lines, others between", response("8|a\n9|x\n10|b\n", ""), "a\nb", false},
	} {
		s := NewSight(New(nil, options()))
		if s.See([]*history.Content{history.HumanText("hi"), history.New(history.Tool, c.see)}); s.Shows(c.old) != c.want {
			t.Errorf("%s: shown %v", c.id, !c.want)
		}
	}
}

// The optimum against all choices of cuts on small random recordings.
func TestOptimumAgainstAllChoices(t *testing.T) {
	t.Parallel()
	for seed := range 200 {
		rng := rand.New(rand.NewPCG(uint64(seed), 1))
		requests := 3 + rng.IntN(3)
		r := &Recording{Replies: make([]Reply, requests)}
		var dead []int
		for k := range requests {
			for range 1 + rng.IntN(2) {
				r.parts = append(r.parts, cacheaware.Part{Request: k, Tokens: 110 + rng.IntN(600), Left: rng.IntN(4)})
				d := k + rng.IntN(requests+2)
				if rng.IntN(2) == 0 {
					d = forever
				}
				dead = append(dead, d)
			}
		}
		q := Requests{Head: 10, Cold: make([]bool, requests)}
		for k := range q.Cold {
			q.Cold[k] = k == 0 || rng.IntN(5) == 0
		}
		for _, q.Price = range []cacheaware.Price{{Read: .1, Write: 1.25}, {Read: .25, Write: 1}, {Read: 1, Write: 1}} {
			got := newOptimum(r, dead, q).least()
			if want := leastByTrying(r, dead, q); math.Abs(got-want) > 1e-6 {
				t.Fatalf("seed %d, %v: optimum %v, all choices give %v", seed, q.Price, got, want)
			}
		}
	}
}

// leastByTrying tries every place of a cut, or none, at each request.
func leastByTrying(r *Recording, dead []int, q Requests) float64 {
	best := math.Inf(1)
	cuts := make([]int, len(q.Cold))
	var try func(k int)
	try = func(k int) {
		if k == len(cuts) {
			best = min(best, costOfCuts(r, dead, q, cuts))
			return
		}
		for at := range len(r.parts) + 1 {
			if at < len(r.parts) && (r.parts[at].Request > k || dead[at] > k) {
				continue
			}
			cuts[k] = at
			try(k + 1)
		}
	}
	try(0)
	return best
}

// costOfCuts is what requests cost when all that is not needed goes behind each cut.
func costOfCuts(r *Recording, dead []int, q Requests, cuts []int) float64 {
	tokens := make([]int, len(r.parts))
	for at, p := range r.parts {
		tokens[at] = p.Tokens
	}
	cost := 0.0
	for k, cut := range cuts {
		for at := cut; at < len(tokens); at++ {
			if dead[at] <= k && r.parts[at].Request <= k {
				tokens[at] = r.parts[at].Left
			}
		}
		cached, total := q.Head, q.Head
		for at, p := range r.parts {
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

// What is needed is never cheaper with more needs, and never dearer than everything.
func TestOptimumOfNeeds(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("rareName and more text of a file\n", 40)
	r := New(said(
		[3]string{"read", `{"path":"a"}`, long},
		[3]string{"search", `{"pattern":"x"}`, long},
		[3]string{"edit", `{"path":"a","old":"and more","new":"x"}`, "done"},
		[3]string{"search", `{"pattern":"rareName"}`, "ok"},
		[3]string{"search", `{"pattern":"y"}`, "ok"},
	), options())
	q := Requests{Price: cacheaware.SafePrice, Head: 100, Cold: []bool{true, false, false, false, false}}
	quotes, words := r.Optimum(false, q), r.Optimum(true, q)
	if quotes > words || words >= 1 || quotes <= 0 {
		t.Errorf("optimum %v with quotes, %v with words", quotes, words)
	}
}
