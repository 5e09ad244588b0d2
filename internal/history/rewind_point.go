package history

import "time"

// A Point is a place in the record of a conversation to which the user can go back (D-80).
type Point struct {
	// Seq names the point: going there restores the context as it was before this record.
	Seq uint64
	At  time.Time
	// Message is the user's message at the point, or nil if a line of the conversation ends
	// there.
	Message *Content
	// Turn numbers the messages on the current line of the conversation, from 1. It is 0 for a
	// message that was left behind.
	Turn int
	// Last is the latest message on the line that ends at the point, or nil for a message.
	Last *Content
	// Cleared is set for an end made by /clear.
	Cleared bool
}

// End reports whether a line of the conversation ends at the point.
func (p Point) End() bool { return p.Message == nil }
