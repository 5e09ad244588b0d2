package compression

import "agent/internal/history"

// groups divides a history into groups of entries that are kept or dropped together: an entry
// with calls, and all entries with their responses. Any other entry is a group of its own. A
// human entry always is, so that no damaged history ties one to a call.
type groups struct {
	pairing history.Pairing
	// root is the first entry of each entry's group.
	root []int
	// earliest[i] is the first entry whose call entry i answers, or i if there is none.
	earliest []int
	// hasCall[root] reports whether the group contains a tool call.
	hasCall []bool
}

func groupEntries(entries []*history.Content) groups {
	g := groups{
		pairing:  history.PairCalls(entries),
		root:     make([]int, len(entries)),
		earliest: make([]int, len(entries)),
		hasCall:  make([]bool, len(entries)),
	}
	for i := range entries {
		g.root[i], g.earliest[i] = i, i
	}
	for _, pair := range g.pairing.Pairs {
		for _, at := range pair.Responses {
			g.earliest[at.Entry] = min(g.earliest[at.Entry], pair.At.Entry)
			if entries[pair.At.Entry].Speaker != history.Human && entries[at.Entry].Speaker != history.Human {
				g.join(pair.At.Entry, at.Entry)
			}
		}
	}
	for i := range g.root {
		g.root[i] = g.root[g.root[i]]
	}
	for _, pair := range g.pairing.Pairs {
		g.hasCall[g.root[pair.At.Entry]] = true
	}
	return g
}

// join makes one group of two. Roots only ever point to earlier entries.
func (g groups) join(a, b int) {
	a, b = g.find(a), g.find(b)
	g.root[max(a, b)] = min(a, b)
}

func (g groups) find(i int) int {
	for g.root[i] != i {
		i = g.root[i]
	}
	return i
}

// boundary moves a cut before entry i backward until it separates no call from its responses
// (D-25). Both i and the result are from 0 to the number of entries.
func (g groups) boundary(i int) int {
	for at := len(g.earliest) - 1; at >= i; at-- {
		i = min(i, g.earliest[at])
	}
	return i
}

// callOf returns the calls by the positions of their responses.
func (g groups) callOf() map[history.Ref]*history.ToolCall {
	calls := make(map[history.Ref]*history.ToolCall, len(g.pairing.Pairs))
	for _, pair := range g.pairing.Pairs {
		for _, at := range pair.Responses {
			calls[at] = pair.Call
		}
	}
	return calls
}
