package history

import "time"

// A Passage is one step of a recorded conversation: an entry, removed content, or a /clear.
type Passage struct {
	// At is the time of the step, or zero if unknown.
	At time.Time
	// Entry is the entry that was added, or nil for another step.
	Entry *Content
	// Left lists the content that pruning or a compression removed from the context.
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
