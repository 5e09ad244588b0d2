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

func forgetting(attached []*history.Attached) *Forgotten {
	f := &Forgotten{map[uint64]bool{}}
	for _, a := range attached {
		f.sums[sumOf(a)] = true
	}
	return f
}

// thoughtsIn is what is attached to the reasoning of a history.
func thoughtsIn(entries []*history.Content) []*history.Attached {
	return attachedTo(entries, func(b history.Block) *history.Attached {
		if thinking, ok := b.(*history.Thinking); ok {
			return thinking.Attached
		}
		return nil
	})
}

// signaturesIn is what is attached to the calls of a history.
func signaturesIn(entries []*history.Content) []*history.Attached {
	return attachedTo(entries, func(b history.Block) *history.Attached {
		if call, ok := b.(*history.ToolCall); ok {
			return call.Attached
		}
		return nil
	})
}

func attachedTo(entries []*history.Content, of func(history.Block) *history.Attached) []*history.Attached {
	var all []*history.Attached
	for _, c := range entries {
		for _, b := range c.Blocks {
			if a := of(b); a != nil && len(a.Data) > 0 {
				all = append(all, a)
			}
		}
	}
	return all
}
