package history

import (
	"fmt"
	"maps"
	"slices"
	"time"
)

// DensityResult contains the changes that an optimizer requests in the raw history that it received
// (REQ-HD-001.5). Indexes refer to exactly that slice (D-17). No index is both removed and replaced
// (REQ-HD-001.6).
type DensityResult struct {
	// Removals lists the indexes of the entries to drop.
	Removals []int
	// Replacements maps indexes to edited entries.
	Replacements map[int]*Content
	// Metadata counts the prunes by phase (REQ-HD-001.8).
	Metadata PruneCounts
	// Prunes describes the result item by item. It is not applied.
	Prunes []Prune
	// Skipped lists the entries with a call that should name a file but does not (EC-016), the latest
	// first. They are unchanged, and listed for debugging.
	Skipped []int
	// Cut contains the cost and the savings of the change. It is nil for a strategy that does not weigh
	// them.
	Cut *PruningCost
}

// PruningCost contains the cost of a change of the context, for a provider that caches earlier requests.
// Amounts are in tokens at the full price of input.
type PruningCost struct {
	// Paid is the extra cost of the next request. It is negative if the request becomes cheaper at
	// once. Saves is the amount saved with each later request.
	Paid  float64 `json:"paid"`
	Saves float64 `json:"saves"`
	// Back is the number of requests after which the change has paid for itself.
	Back int `json:"paysBackAfter"`
	// Bank is the amount that pruning had saved before and may spend.
	Bank float64 `json:"bank"`
	// Request is the number of the first request after the change, from 1.
	Request int `json:"request,omitzero"`
}

// Empty reports whether applying the result would change nothing.
func (r DensityResult) Empty() bool { return len(r.Removals) == 0 && len(r.Replacements) == 0 }

// PruneKind is the density phase that removed an item. Each phase declares its own kind.
type PruneKind string

// A Prune is one item that density or a compression removed from the context, for the ledger that a
// user reads. Its JSON is stored in the session log.
type Prune struct {
	Kind PruneKind `json:"kind"`
	// Subject describes the item: a path, or a tool and its key parameter.
	Subject string `json:"subject"`
	// Paths lists the files that the item is about, as they were named. It is empty for other items,
	// and in older logs.
	Paths []string `json:"paths,omitempty"`
	// Tool is the tool of the removed call or result, or "" for other content. The Service sets it
	// together with Tokens.
	Tool string `json:"tool,omitempty"`
	// Call describes that call and its arguments on one line. It is empty for other content, and in
	// older logs.
	Call string `json:"call,omitempty"`
	// Reason is a short text on why the item is no longer needed.
	Reason string `json:"reason"`
	// Tokens is the number of tokens pruned, by our own count. The Service sets it.
	Tokens int `json:"tokens"`
	// Recorded contains where the session log stores the removed blocks, each as it was recorded first.
	// An observer that keeps a log sets it.
	Recorded []RecordRef `json:"gone,omitempty"`

	// Entry is the index of the affected entry in the history before pruning.
	Entry int `json:"-"`
	// Gone contains the blocks that were removed from the context, and Left the blocks that replaced
	// them. For an inclusion inside a longer text, Gone contains a block of only the inclusion. A line
	// of the ledger has neither.
	Gone []Block `json:"-"`
	Left []Block `json:"-"`

	// Turn is the number of the user's message during which the prune happened, from 1. At is its time.
	// Only a line of the ledger has them.
	Turn int       `json:"-"`
	At   time.Time `json:"-"`
	// Cut contains the cost and the savings of the pruning pass. It is nil for a strategy that does not
	// weigh them.
	Cut *PruningCost `json:"-"`
}

// RecordRef refers to content in the log of a conversation.
type RecordRef struct {
	// Entry identifies the entry as it was recorded first.
	Entry string `json:"entry"`
	// CallID is the id of a call or response, or "" for the rest of the entry.
	CallID string `json:"callId,omitempty"`
}

// DensityError is returned for a density result that cannot be applied (D-23, ERR-010 … ERR-013).
type DensityError struct {
	Problem DensityProblem
	// Index is the index of the faulty entry, and Len the length of the history.
	Index, Len int
}

// DensityProblem describes an error in a density result, as a clause about an entry.
type DensityProblem string

// The possible errors in a density result.
const (
	DensityConflict  DensityProblem = "is both removed and replaced"
	DensityBounds    DensityProblem = "is out of bounds"
	DensityDuplicate DensityProblem = "is removed twice"
	DensityEmpty     DensityProblem = "would be replaced by an entry without blocks"
)

func (e *DensityError) Error() string {
	return fmt.Sprintf("internal error, history unchanged: in the pruning result, entry %d of %d %s", e.Index, e.Len, e.Problem)
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
