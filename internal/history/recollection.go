package history

import (
	"iter"
	"time"
)

// A RecalledContent is content that was removed from the context, as it was recorded first.
type RecalledContent struct {
	Blocks []Block
	// At is the time of recording. Turn is the number, from 1, of the user's message during which the
	// content was recorded.
	At   time.Time
	Turn int
	// Later yields the entries that were recorded since then, which show later changes of the content's
	// files. They are read on demand. An error is the last element. Later is nil if there are no
	// entries.
	Later iter.Seq2[*Content, error]
}

// MetaRestored marks a human entry with recalled content. Its value is the number of the content in the
// ledger.
const MetaRestored = "restored"
