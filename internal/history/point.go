package history

import "time"

// Point is a place in the record of a conversation to which one can go back (D-80).
type Point struct {
	// Seq names the point: going there makes the context what it was before this record.
	Seq uint64
	At  time.Time
	// Message is what the user said there, nil where a line of the conversation ends.
	Message *Content
	// Turn numbers the messages on the line that the conversation is on, from 1. It is
	// 0 for what was left behind.
	Turn int
	// Last is the latest message on the line that ends there, nil for a message.
	Last *Content
	// Cleared is set for an end that came with /clear.
	Cleared bool
}

// End reports whether a line of the conversation ends at the point.
func (p Point) End() bool { return p.Message == nil }
