package history

import (
	"iter"
	"time"
)

// A RecalledContent is content that left the context, as it was recorded first.
type RecalledContent struct {
	Blocks []Block
	// At is the time of recording, and Turn the number of the user's message during which the
	// content was recorded, from 1.
	At   time.Time
	Turn int
	// Later yields the entries that were recorded since, which show the later changes of the
	// content's files. They are read on demand; an error is the last element. Later is nil if
	// there are none.
	Later iter.Seq2[*Content, error]
}

// MetaRestored marks a human entry that brings content back into the context. Its value is the
// number of the content in the list of content that left.
const MetaRestored = "restored"
