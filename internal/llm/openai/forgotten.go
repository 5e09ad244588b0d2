package openai

import (
	"hash/maphash"

	"agent/internal/history"
)

// Forgotten are attachments that do not go back to whom they came from, because they
// were refused: signatures of a model that was replaced, reasoning that another
// account's key encrypted. A value is never changed; nil holds none.
type Forgotten struct{ sums map[uint64]bool }

// forgettingSeed makes sums that mean nothing outside this process.
var forgettingSeed = maphash.MakeSeed()

func sumOf(a *history.Attached) uint64 { return maphash.Bytes(forgettingSeed, a.Data) }

func (f *Forgotten) has(a *history.Attached) bool { return f != nil && f.sums[sumOf(a)] }

// forgetting holds the attachments that hold something, nil if none does.
func forgetting(attached []*history.Attached) *Forgotten {
	f := &Forgotten{map[uint64]bool{}}
	for _, a := range attached {
		if a != nil && len(a.Data) > 0 {
			f.sums[sumOf(a)] = true
		}
	}
	if len(f.sums) == 0 {
		return nil
	}
	return f
}

// thoughtsIn is what is attached to the reasoning of a history.
func thoughtsIn(entries []*history.Content) (all []*history.Attached) {
	for _, c := range entries {
		for _, thinking := range blocksOf[*history.Thinking](c.Blocks) {
			all = append(all, thinking.Attached)
		}
	}
	return all
}

// signaturesIn is what is attached to the calls of a history.
func signaturesIn(entries []*history.Content) (all []*history.Attached) {
	for _, c := range entries {
		for _, call := range c.Calls() {
			all = append(all, call.Attached)
		}
	}
	return all
}
