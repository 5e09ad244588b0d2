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

// with returns f with more attachments, and whether any is new to it.
func (f *Forgotten) with(attached []*history.Attached) (more *Forgotten, news bool) {
	more = &Forgotten{map[uint64]bool{}}
	for _, a := range attached {
		news = news || !f.has(a)
		more.sums[sumOf(a)] = true
	}
	if f != nil {
		for sum := range f.sums {
			more.sums[sum] = true
		}
	}
	return more, news
}

// thoughtsIn is what is attached to the reasoning of a history.
func thoughtsIn(entries []*history.Content) []*history.Attached {
	var attached []*history.Attached
	for _, c := range entries {
		for _, b := range c.Blocks {
			if thinking, ok := b.(*history.Thinking); ok && thinking.Attached != nil && len(thinking.Attached.Data) > 0 {
				attached = append(attached, thinking.Attached)
			}
		}
	}
	return attached
}

// signaturesIn is what is attached to the calls of a history.
func signaturesIn(entries []*history.Content) []*history.Attached {
	var attached []*history.Attached
	for _, c := range entries {
		for _, call := range c.Calls() {
			if call.Attached != nil && len(call.Attached.Data) > 0 {
				attached = append(attached, call.Attached)
			}
		}
	}
	return attached
}
