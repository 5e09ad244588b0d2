package history

import (
	"fmt"
	"maps"
	"slices"
	"time"
)

// DensityResult is what an optimiser wants changed in the raw history it was
// given (REQ-HD-001.5). Indices refer to exactly that slice (D-17). An index
// is never both removed and replaced (REQ-HD-001.6).
type DensityResult struct {
	// Removals are the indices of entries to drop.
	Removals []int
	// Replacements are edited entries by index.
	Replacements map[int]*Content
	// Metadata counts what was pruned, by phase (REQ-HD-001.8).
	Metadata Counts
	// Prunes says, item by item, what leaves and why; it explains the result and
	// is not applied.
	Prunes []Prune
	// Skipped are the entries with a call that should name a file and does not
	// (EC-016), the latest first. They are as they were, and kept for debugging.
	Skipped []int
	// Cut says what the change costs and saves, for a strategy that asks; nil for one
	// that does not.
	Cut *Cut
}

// Cut is what changing a context costs with a provider that caches what it was sent
// before, in tokens at the full price of input.
type Cut struct {
	// Paid is by how much the next request gets dearer, less than 0 when it gets
	// cheaper at once; Saves is what each later one saves.
	Paid  float64 `json:"paid"`
	Saves float64 `json:"saves"`
	// Back is the number of requests after which it has paid for itself.
	Back int `json:"paysBackAfter"`
	// Bank is what pruning had saved before that it may spend.
	Bank float64 `json:"bank"`
	// Request is the number of the request before which the change is made, from 1.
	Request int `json:"request,omitzero"`
}

// Empty reports whether applying the result would change nothing.
func (r DensityResult) Empty() bool { return len(r.Removals) == 0 && len(r.Replacements) == 0 }

// PruneKind says which density phase removed something. Each phase declares its
// own.
type PruneKind string

// Prune is one thing that density or a compression took out of the context, for the ledger
// a person reads. Its JSON is what the record says of it.
type Prune struct {
	Kind PruneKind `json:"kind"`
	// Subject names what went: a path, or a tool and its key parameter.
	Subject string `json:"subject"`
	// Paths are the files that it is about, as they were named; none for anything else.
	// Older logs do not say.
	Paths []string `json:"paths,omitempty"`
	// Tool is the tool whose call or answer went, empty for what somebody said; it is
	// filled in with Tokens.
	Tool string `json:"tool,omitempty"`
	// Reason says why it is not needed any more, in a few words.
	Reason string `json:"reason"`
	// Tokens is what it freed, by our own count; the Service fills it in.
	Tokens int `json:"tokens"`
	// Recorded says where the record of the conversation keeps what is gone, each as it was
	// recorded first; an observer that keeps a record fills it in.
	Recorded []Recorded `json:"gone,omitempty"`

	// Entry is the index of the affected entry in the history optimised.
	Entry int `json:"-"`
	// Gone are the blocks that left the context and Left what is in their
	// place. For an inclusion inside a longer text, Gone holds a block of just
	// the inclusion. A line of the ledger has neither.
	Gone []Block `json:"-"`
	Left []Block `json:"-"`

	// Turn is the number of the user's message during which it happened, from 1, and At
	// when; only a line of the ledger says so.
	Turn int       `json:"-"`
	At   time.Time `json:"-"`
	// Cut says what the pruning it was part of costs and saves, nil for a strategy that
	// does not ask.
	Cut *Cut `json:"-"`
}

// Recorded names content in the record of a conversation.
type Recorded struct {
	// Entry names the entry as it was recorded first.
	Entry string `json:"entry"`
	// CallID is that of the call or response meant, empty for the rest of the entry.
	CallID string `json:"callId,omitempty"`
}

// DensityError says why a density result cannot be applied (D-23, ERR-010 …
// ERR-013).
type DensityError struct {
	Problem DensityProblem
	// Index is the entry index at fault, Len the length of the history.
	Index, Len int
}

// DensityProblem is what is wrong with a density result.
type DensityProblem string

// The ways a density result can be wrong.
const (
	DensityConflict  DensityProblem = "is both removed and replaced"
	DensityBounds    DensityProblem = "is out of bounds"
	DensityDuplicate DensityProblem = "is removed twice"
	DensityEmpty     DensityProblem = "would be replaced by an entry without blocks"
)

func (e *DensityError) Error() string {
	return fmt.Sprintf("density result refused, history unchanged: entry %d of %d %s", e.Index, e.Len, e.Problem)
}

// validate checks r against a history of n entries and changes nothing.
func (r DensityResult) validate(n int) error {
	removed := make(map[int]bool, len(r.Removals))
	for _, i := range r.Removals {
		switch {
		case i < 0 || i >= n:
			return &DensityError{DensityBounds, i, n}
		case removed[i]:
			return &DensityError{DensityDuplicate, i, n}
		}
		removed[i] = true
	}
	for _, i := range slices.Sorted(maps.Keys(r.Replacements)) {
		c := r.Replacements[i]
		switch {
		case i < 0 || i >= n:
			return &DensityError{DensityBounds, i, n}
		case removed[i]:
			return &DensityError{DensityConflict, i, n}
		case c == nil || len(c.Blocks) == 0:
			return &DensityError{DensityEmpty, i, n}
		}
	}
	return nil
}
