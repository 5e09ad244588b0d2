package compression

import (
	"slices"

	"agent/internal/history"
)

// groups divides a history into groups of entries that are kept or dropped together: an entry with
// calls, and all entries with their responses. Any other entry is a separate group. So is every human
// entry, even if a damaged history has a response in it.
type groups struct {
	pairing history.Pairing
	// root holds, for each entry, the first entry of its group.
	root []int
	// earliest[i] is the first entry whose call entry i answers, or i if there is none.
	earliest []int
	// hasCall holds, by root, whether the group contains a tool call.
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

// join merges two groups. Roots point only to earlier entries.
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

// boundary moves a cut before entry i backward until no call is separated from its responses (D-25).
// Both i and the result are from 0 to the number of entries.
func (g groups) boundary(i int) int {
	for at := len(g.earliest) - 1; at >= i; at-- {
		i = min(i, g.earliest[at])
	}
	return i
}

func (g groups) callOf() map[history.Ref]*history.ToolCall {
	calls := make(map[history.Ref]*history.ToolCall, len(g.pairing.Pairs))
	for _, pair := range g.pairing.Pairs {
		for _, at := range pair.Responses {
			calls[at] = pair.Call
		}
	}
	return calls
}

// lastReply returns the index of the model's latest reply, or −1 if there is none.
func lastReply(entries []*history.Content) int {
	i := len(entries) - 1
	for i >= 0 && entries[i].Speaker != history.AI {
		i--
	}
	return i
}

// latestCalls returns the index of the model's latest reply if it contains calls, whose results the
// model has not read yet. It returns len(entries) if there is no such reply.
func latestCalls(entries []*history.Content) int {
	if i := lastReply(entries); i >= 0 && len(entries[i].Calls()) > 0 {
		return i
	}
	return len(entries)
}

// runningCalls returns the same as latestCalls if the turn continues with the results of the calls.
// Otherwise it returns len(entries): a message of the user after the calls may begin another turn.
func runningCalls(entries []*history.Content) int {
	if i := latestCalls(entries); !slices.ContainsFunc(entries[min(i, len(entries)):], isSpoken) {
		return i
	}
	return len(entries)
}
