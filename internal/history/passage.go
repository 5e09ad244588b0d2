package history

import "time"

// A Passage is one step of a recorded conversation: an entry, content that left the context, or a
// /clear.
type Passage struct {
	// At is the time of the step, zero if it is not known.
	At time.Time
	// Entry is the entry that was added, nil for another step.
	Entry *Content
	// Left lists what pruning or a compression took out of the context.
	Left []Prune
	// Cleared is set for a /clear.
	Cleared bool
}

// Passages returns entries as passages.
func Passages(entries []*Content) []Passage {
	passages := make([]Passage, len(entries))
	for i, entry := range entries {
		passages[i].Entry = entry
	}
	return passages
}
