package history

import (
	"iter"
	"time"
)

// Recollection is content that left the context, as it was recorded first.
type Recollection struct {
	Blocks []Block
	// At is when it was recorded, Turn the number of the user's message during which,
	// from 1.
	At   time.Time
	Turn int
	// Later are the entries that were recorded since, for what became of the files it
	// is about. They are read as they are asked for; an error is the last. Nil for none.
	Later iter.Seq2[*Content, error]
}

// MetaRestored marks a human entry that brings content back into the context which
// had left it; its value is the number of that in the list of what left.
const MetaRestored = "restored"
