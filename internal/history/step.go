package history

// Step is one change of a history as its record has it: all that is needed to
// was not there to know how the history came about. Entries are named by
// themselves, since they are immutable.
type Step struct {
	Kind MutationKind
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
