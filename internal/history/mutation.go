package history

import "time"

// MutationKind says how a history was changed.
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

// A Mutation is one change of a history, as its observer sees it.
type Mutation struct {
	Kind MutationKind
	// Entry is the entry that was added.
	Entry *Content
	// Tokens holds the counts of Entry, for the record.
	Tokens TokenCounts
	// Result is the density result that was applied.
	Result DensityResult
	// Entries is the whole history after a replacement, Cause the reason for the replacement, and
	// Gone lists the items that left with it.
	Entries []*Content
	Cause   string
	Gone    []Prune
	// Path is the file that pruning must leave alone if Pinned is set, and may prune again
	// otherwise.
	Path   string
	Pinned bool
	// To is the record to which the history was rewound: Entries, the whole history again, is the
	// history before that record (D-80).
	To uint64
}

// An Observer receives every mutation in order, once, after it happened in memory (D-24). It runs
// under the service's lock and must not call back. Its error is returned to the caller that made
// the change: the conversation continues, but its record is behind.
type Observer func(Mutation) error

// A Step is one change of a history, as recorded. It refers to entries by their pointers, since
// entries are immutable.
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
	// Prunes describes the content that left with a density result or a replacement.
	Prunes []Prune
	// Path is the file that was pinned or unpinned.
	Path   string
	Pinned bool
}

// An Edit is the change that density made to an entry.
type Edit struct {
	// After takes the place of the entry; it is nil if the entry was removed.
	After *Content
	// Kinds lists the kinds of the entry's prunes, in order.
	Kinds []PruneKind
}

// After returns entries with the edits of s applied.
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
