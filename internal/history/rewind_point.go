package history

import "time"

// A Point is a point in the log of a conversation to which the user can return (D-80).
type Point struct {
	// Seq identifies the point. Rewinding to it restores the context as it was before this record.
	Seq uint64
	At  time.Time
	// Message is the user's message at the point. It is nil if a branch of the conversation ends there.
	Message *Content
	// Turn numbers the messages on the current branch of the conversation, from 1. It is 0 for a
	// message on an abandoned branch.
	Turn int
	// Last is the latest message on the branch that ends at the point, or nil if the point is a
	// message.
	Last *Content
	// Cleared is set for an end made by /clear.
	Cleared bool
}

// IsEnd reports whether a branch of the conversation ends at the point.
func (p Point) IsEnd() bool { return p.Message == nil }
