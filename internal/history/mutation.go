package history

import "time"

// MutationKind is the kind of a change of a history.
type MutationKind string

// The mutations, one for each way of changing a history (D-24).
const (
	MutationAdded    MutationKind = "added"
	MutationDensity  MutationKind = "density"
	MutationReplaced MutationKind = "replaced"
	MutationCleared  MutationKind = "cleared"
	MutationRewound  MutationKind = "rewound"
	MutationPinned   MutationKind = "pinned"
)

// A Mutation is one change of a history, as its observer receives it.
type Mutation struct {
	Kind MutationKind
	// Entry is the entry that was added.
	Entry *Content
	// Tokens contains the counts of Entry, for the session log.
	Tokens TokenCounts
	// Result is the density result that was applied.
	Result DensityResult
	// Entries is the whole history after a replacement, and Cause the reason for the replacement. Gone
	// lists the items that the replacement removed.
	Entries []*Content
	Cause   string
	Gone    []Prune
	// Path is a file. If Pinned is set, pruning must keep its content. Otherwise pruning may remove it
	// again.
	Path   string
	Pinned bool
	// To is the number of the record to which the history was rewound. Entries is then the whole
	// history as it was before that record (D-80).
	To uint64
}

// An Observer receives every mutation once, in order, after it was made in memory (D-24). It runs under
// the service's lock and must not call back. Its error is returned to the caller that made the change.
// The conversation then continues, but its log is incomplete.
type Observer func(Mutation) error

// A Step is one recorded change of a history. It refers to entries by pointer, because entries are
// immutable.
type Step struct {
	Kind MutationKind
	At   time.Time
	// Seq is the number of the record.
	Seq uint64
	// Entry is the entry that was added.
	Entry *Content
	// Edits maps the entries that a density result changed to their edits.
	Edits map[*Content]Edit
	// Entries is the whole history after a replacement.
	Entries []*Content
	// Prunes describes the content that a density result or a replacement removed.
	Prunes []Prune
	// Path is the file that was pinned or unpinned.
	Path   string
	Pinned bool
}

// An Edit is the change of an entry by density.
type Edit struct {
	// After replaces the entry. It is nil if the entry was removed.
	After *Content
	// Kinds lists the kinds of the entry's prunes, in order.
	Kinds []PruneKind
}

// Apply returns entries with the edits of s applied.
func (s Step) Apply(entries []*Content) []*Content {
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
