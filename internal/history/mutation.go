package history

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
