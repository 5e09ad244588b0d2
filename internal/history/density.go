package history

import (
	"fmt"
	"maps"
	"slices"
	"time"
)

// DensityResult holds the changes that an optimiser wants in the raw history it was given
// (REQ-HD-001.5). Indexes refer to exactly that slice (D-17). No index is both removed and
// replaced (REQ-HD-001.6).
type DensityResult struct {
	// Removals lists the indexes of the entries to drop.
	Removals []int
	// Replacements maps indexes to edited entries.
	Replacements map[int]*Content
	// Metadata counts the prunes by phase (REQ-HD-001.8).
	Metadata Counts
	// Prunes explains the result item by item; it is not applied.
	Prunes []Prune
	// Skipped lists the entries with a call that should name a file and does not (EC-016), the
	// latest first. They are unchanged, and listed for debugging.
	Skipped []int
	// Cut holds the cost and the savings of the change, or nil for a strategy that does not weigh
	// them.
	Cut *Cut
}

// Cut holds the cost of changing a context, with a provider that caches earlier requests. Amounts
// are in tokens at the full price of input.
type Cut struct {
	// Paid is the extra cost of the next request, below 0 if it gets cheaper at once. Saves is
	// the amount saved with each later request.
	Paid  float64 `json:"paid"`
	Saves float64 `json:"saves"`
	// Back is the number of requests after which the change has paid for itself.
	Back int `json:"paysBackAfter"`
	// Bank is the amount that pruning had saved before and may spend.
	Bank float64 `json:"bank"`
	// Request is the number of the request before which the change is made, from 1.
	Request int `json:"request,omitzero"`
}

// Empty reports whether applying the result would change nothing.
func (r DensityResult) Empty() bool { return len(r.Removals) == 0 && len(r.Replacements) == 0 }

// PruneKind says which density phase removed something. Each phase declares its own kind.
type PruneKind string

// A Prune is one item that density or a compression took out of the context, for the ledger that
// a user reads. Its JSON goes into the record.
type Prune struct {
	Kind PruneKind `json:"kind"`
	// Subject names the item: a path, or a tool and its key parameter.
	Subject string `json:"subject"`
	// Paths lists the files that the item is about, as they were named. It is empty for any other
	// item, and in older logs.
	Paths []string `json:"paths,omitempty"`
	// Tool is the tool of the call or result that went, or "" for other content. The Service
	// fills it in with Tokens.
	Tool string `json:"tool,omitempty"`
	// Call describes that call on one line, with what it asked for. It is empty for other content,
	// and in older logs.
	Call string `json:"call,omitempty"`
	// Reason says why the item is not needed any more, in a few words.
	Reason string `json:"reason"`
	// Tokens is the number of tokens freed, by our own count. The Service fills it in.
	Tokens int `json:"tokens"`
	// Recorded says where the record of the conversation keeps the blocks that are gone, each as
	// it was recorded first. An observer that keeps a record fills it in.
	Recorded []Recorded `json:"gone,omitempty"`

	// Entry is the index of the affected entry in the history optimised.
	Entry int `json:"-"`
	// Gone holds the blocks that left the context, and Left the blocks in their place. For an
	// inclusion inside a longer text, Gone holds a block of just the inclusion. A line of the
	// ledger has neither.
	Gone []Block `json:"-"`
	Left []Block `json:"-"`

	// Turn is the number of the user's message during which the prune happened, from 1. At is the
	// time. Only a line of the ledger has them.
	Turn int       `json:"-"`
	At   time.Time `json:"-"`
	// Cut holds the cost and the savings of the pruning that took the item, or nil for a strategy
	// that does not weigh them.
	Cut *Cut `json:"-"`
}

// Recorded refers to content in the record of a conversation.
type Recorded struct {
	// Entry names the entry as it was recorded first.
	Entry string `json:"entry"`
	// CallID is the id of the call or response meant, or "" for the rest of the entry.
	CallID string `json:"callId,omitempty"`
}

// DensityError says why a density result cannot be applied (D-23, ERR-010 …
// ERR-013).
type DensityError struct {
	Problem DensityProblem
	// Index is the entry index at fault, Len the length of the history.
	Index, Len int
}

// DensityProblem describes a fault of a density result, as a clause about an entry.
type DensityProblem string

// The possible faults of a density result.
const (
	DensityConflict  DensityProblem = "is both removed and replaced"
	DensityBounds    DensityProblem = "is out of bounds"
	DensityDuplicate DensityProblem = "is removed twice"
	DensityEmpty     DensityProblem = "would be replaced by an entry without blocks"
)

func (e *DensityError) Error() string {
	return fmt.Sprintf("density result refused, history unchanged: entry %d of %d %s", e.Index, e.Len, e.Problem)
}

// validate checks r against a history of n entries. It changes nothing.
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
