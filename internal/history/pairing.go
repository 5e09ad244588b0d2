package history

import (
	"cmp"
	"iter"
	"slices"
)

// Ref is the position of a block: the index of its entry and its index there.
type Ref struct{ Entry, Block int }

// Compare orders positions as they are in the history.
func (r Ref) Compare(other Ref) int {
	return cmp.Or(cmp.Compare(r.Entry, other.Entry), cmp.Compare(r.Block, other.Block))
}

// Pair is a tool call with the responses that belong to it: none while it is
// unanswered, one as a rule, more only in damaged histories.
type Pair struct {
	At   Ref
	Call *ToolCall
	// Responses are the positions of its *ToolResponse blocks, in order.
	Responses []Ref
}

// Pairing is every call of a history with its responses, in the order of the
// calls, and the responses that belong to none.
type Pairing struct {
	Pairs   []Pair
	Orphans []Ref
}

// PairCalls pairs calls and responses by position (D-11): providers reuse call
// ids, so a response belongs to the latest call with its id before it, and a new
// call with the same id starts a new pair. It takes linear time.
func PairCalls(entries []*Content) Pairing {
	var (
		pairing Pairing
		refs    []Ref
		open    = openResponses{}
	)
	walkPairs(entries, &open, func(p Pair) bool {
		first := len(refs)
		refs = append(refs, p.Responses...)
		p.Responses = refs[first:len(refs):len(refs)]
		pairing.Pairs = append(pairing.Pairs, p)
		return true
	})
	slices.Reverse(pairing.Pairs)
	for _, id := range open.byID {
		pairing.Orphans = open.appendList(pairing.Orphans, id)
	}
	slices.SortFunc(pairing.Orphans, Ref.Compare)
	return pairing
}

// PairsBackward yields what PairCalls lists, the latest call first, and needs
// memory only for the responses whose call is still to come. The Responses of a
// Pair are valid until the next one is yielded.
func PairsBackward(entries []*Content) iter.Seq[Pair] {
	return func(yield func(Pair) bool) {
		walkPairs(entries, &openResponses{}, yield)
	}
}

// walkPairs walks from the end to the start. Going that way a call takes all open
// responses with its id: those of an earlier call have not been seen yet, those
// of a later call are taken already.
func walkPairs(entries []*Content, open *openResponses, yield func(Pair) bool) {
	var responses []Ref
	for i := len(entries) - 1; i >= 0; i-- {
		if entries[i] == nil {
			continue
		}
		blocks := entries[i].Blocks
		for j := len(blocks) - 1; j >= 0; j-- {
			switch b := blocks[j].(type) {
			case *ToolResponse:
				open.add(b.CallID, Ref{i, j})
			case *ToolCall:
				responses = open.take(responses[:0], b.ID)
				if !yield(Pair{At: Ref{i, j}, Call: b, Responses: responses}) {
					return
				}
			}
		}
	}
}

// openResponses holds responses by call id until their call is met. The lists
// live in one slice whose freed places are used again, so that a long history
// of answered calls allocates no more than a short one.
type openResponses struct {
	byID  map[string]int // the first node of the list with that id
	nodes []openNode
	free  int // the first free node plus one, 0 when there is none
}

type openNode struct {
	ref  Ref
	next int // the next node plus one, 0 at the end
}

// add puts ref at the front of its list: later additions are earlier in the
// history.
func (o *openResponses) add(id string, ref Ref) {
	node := openNode{ref: ref}
	if first, ok := o.byID[id]; ok {
		node.next = first + 1
	}
	at := len(o.nodes)
	if o.free > 0 {
		at = o.free - 1
		o.free = o.nodes[at].next
		o.nodes[at] = node
	} else {
		o.nodes = append(o.nodes, node)
	}
	if o.byID == nil {
		o.byID = make(map[string]int)
	}
	o.byID[id] = at
}

// take appends the list of id to refs and forgets it.
func (o *openResponses) take(refs []Ref, id string) []Ref {
	first, ok := o.byID[id]
	if !ok {
		return refs
	}
	delete(o.byID, id)
	refs = o.appendList(refs, first)
	last := first
	for o.nodes[last].next > 0 {
		last = o.nodes[last].next - 1
	}
	o.nodes[last].next = o.free
	o.free = first + 1
	return refs
}

func (o *openResponses) appendList(refs []Ref, first int) []Ref {
	for at := first + 1; at > 0; at = o.nodes[at-1].next {
		refs = append(refs, o.nodes[at-1].ref)
	}
	return refs
}
