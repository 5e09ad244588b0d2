package history

import "time"

// MutationKind says what changed a history.
type MutationKind string

// The mutations, one for each way to change a history (D-24).
const (
	MutationAdded    MutationKind = "added"
	MutationDensity  MutationKind = "density"
	MutationReplaced MutationKind = "replaced"
	MutationCleared  MutationKind = "cleared"
	MutationRewound  MutationKind = "rewound"
	MutationPinned   MutationKind = "pinned"
)

// Mutation is one change of a history, as its observer sees it.
type Mutation struct {
	Kind MutationKind
	// Entry is the entry that was added.
	Entry *Content
	// Tokens is what it was counted to be, for the record.
	Tokens TokenCounts
	// Result is the density result that was applied.
	Result DensityResult
	// Entries is the whole history after a replacement, Cause why it was replaced, and
	// Gone what left with that, item by item.
	Entries []*Content
	Cause   string
	Gone    []Prune
	// Path is the file that pruning is to leave alone, or no longer.
	Path   string
	Pinned bool
	// To is the record before which Entries, the whole history again, were it (D-80).
	To uint64
}

// Observer receives every mutation in order, once, after it happened in memory
// (D-24). It runs under the service's lock and must not call back. Its error is
// returned to the caller that made the change: the conversation continues, but its record
// is behind.
type Observer func(Mutation) error

// Step is one change of a history as its record has it. Entries are named by themselves,
// since they are immutable.
type Step struct {
	Kind MutationKind
	At   time.Time
	// Entry is the entry that was added.
	Entry *Content
	// Edits are what a density result made of entries.
	Edits map[*Content]Edit
	// Entries is the whole history after a replacement.
	Entries []*Content
	// Path is the file that was pinned, or was no longer.
	Path   string
	Pinned bool
}

// Edit is what density made of an entry.
type Edit struct {
	// After takes its place; nil when it was removed.
	After *Content
	// Kinds are those of its prunes, in order.
	Kinds []PruneKind
}

// After is what the edits of s make of entries.
func (s Step) After(entries []*Content) []*Content {
	after := make([]*Content, 0, len(entries))
	for _, entry := range entries {
		if edit, ok := s.Edits[entry]; ok {
			entry = edit.After
		}
		if entry != nil {
			after = append(after, entry)
		}
	}
	return after
}
