package history

import (
	"cmp"
	"iter"
	"slices"
)

// A Ref is the position of a block: the index of its entry, and its index in the entry.
type Ref struct{ Entry, Block int }

// Compare compares positions by their order in the history.
func (r Ref) Compare(other Ref) int {
	return cmp.Or(cmp.Compare(r.Entry, other.Entry), cmp.Compare(r.Block, other.Block))
}

// A Pair is a tool call with its responses. It has none while it is unanswered, and usually one. More
// occur only in damaged histories.
type Pair struct {
	At   Ref
	Call *ToolCall
	// Responses lists the positions of the call's *ToolResponse blocks, in order.
	Responses []Ref
}

// A Pairing lists every call of a history with its responses, in the order of the calls, and the
// responses without a call.
type Pairing struct {
	Pairs   []Pair
	Orphans []Ref
}

// PairCalls pairs calls and responses by position (D-11). Providers reuse call ids, so a response
// belongs to the latest call with its id before it. A new call with the same id starts a new pair.
// PairCalls takes linear time.
func PairCalls(entries []*Content) Pairing {
	var pairing Pairing
	open := openResponses{byID: map[string][]Ref{}}
	for pair := range open.pairs(entries) {
		pair.Responses = slices.Clone(pair.Responses)
		pairing.Pairs = append(pairing.Pairs, pair)
	}
	slices.Reverse(pairing.Pairs)
	for _, refs := range open.byID {
		pairing.Orphans = append(pairing.Orphans, refs...)
	}
	slices.SortFunc(pairing.Orphans, Ref.Compare)
	return pairing
}

// PairsBackward yields the pairs of PairCalls, the latest call first. It needs memory only for the
// responses whose call it has not reached yet. The Responses of a Pair are valid until the next Pair is
// yielded.
func PairsBackward(entries []*Content) iter.Seq[Pair] {
	return func(yield func(Pair) bool) {
		open := openResponses{byID: map[string][]Ref{}}
		open.pairs(entries)(yield)
	}
}

// openResponses contains the responses whose call is not reached yet, by the call's id, the latest
// first. Lists are reused, so that a long history of answered calls allocates no more than a short one.
type openResponses struct {
	byID map[string][]Ref
	used [][]Ref
}

// pairs iterates from the end to the start. In this direction a call is paired with all open responses
// with its id. Responses of earlier calls are not reached yet, and responses of later calls are already
// paired.
func (o *openResponses) pairs(entries []*Content) iter.Seq[Pair] {
	return func(yield func(Pair) bool) {
		for i, entry := range slices.Backward(entries) {
			if entry == nil {
				continue
			}
			for j, block := range slices.Backward(entry.Blocks) {
				switch b := block.(type) {
				case *ToolResponse:
					o.add(b.CallID, Ref{i, j})
				case *ToolCall:
					responses := o.byID[b.ID]
					delete(o.byID, b.ID)
					slices.Reverse(responses)
					if !yield(Pair{At: Ref{i, j}, Call: b, Responses: responses}) {
						return
					}
					o.used = append(o.used, responses[:0])
				}
			}
		}
	}
}

func (o *openResponses) add(id string, at Ref) {
	refs, open := o.byID[id]
	if last := len(o.used) - 1; !open && last >= 0 {
		refs, o.used = o.used[last], o.used[:last]
	}
	o.byID[id] = append(refs, at)
}
