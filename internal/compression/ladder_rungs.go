package compression

import (
	"slices"

	"agent/internal/history"
)

// ladder is a reduction in progress; its Context holds the history as it is now.
type ladder struct {
	Context
	// room is the limit without the reserve.
	room int
	// tail is how many entries the compression before preserved, or would.
	tail int
	// compressed reports that this compression was the one of high-density.
	compressed bool
}

func newLadder(in LadderInput) *ladder {
	l := &ladder{
		Context:    in.Context,
		room:       in.ContextLimit - in.Reserve,
		tail:       in.Done.Tail,
		compressed: in.Done.Metadata.StrategyUsed == DefaultName,
	}
	if l.tail == 0 {
		l.tail = tailSize(len(in.History), in.PreserveThreshold)
	}
	return l
}

func (l *ladder) fits() bool { return l.Total() <= l.room }

// adopt makes entries the history. What was in it before keeps its count.
func (l *ladder) adopt(entries []*history.Content) {
	known := make(map[*history.Content]int, len(l.History))
	for i, c := range l.History {
		known[c] = l.Tokens[i]
	}
	tokens := make([]int, len(entries))
	for i, c := range entries {
		n, ok := known[c]
		if !ok {
			n = l.Count(c)
		}
		tokens[i] = n
	}
	l.History, l.Tokens = entries, tokens
}

// compress is for a strategy that is not high-density; otherwise it has just run.
func (l *ladder) compress() {
	if !l.compressed {
		l.highDensity(l.tail)
	}
}

// shortenTail continues until the tail is the newest exchange: in a long tool loop
// the whole window may be one turn of the user.
func (l *ladder) shortenTail() {
	for size := max(1, l.tail/2); size >= 1 && !l.fits(); size /= 2 {
		l.highDensity(size)
	}
}

func (l *ladder) highDensity(tail int) {
	tail = min(tail, len(l.History))
	if result := (highDensity{}).compress(l.Context, tail); result.Applied {
		l.adopt(result.NewHistory)
	}
}

// shortenAll shortens the calls of the whole history.
func (l *ladder) shortenAll() { l.shortenCalls(0, l.Total()-l.room, brief) }

// dropTurns drops, each only if what came before was not enough: whole turns,
// oldest first; what the last turn holds, oldest first; the marker, if the model has
// read all that it represents. The last message of the user stays, and so do calls
// whose answers the model is about to read.
func (l *ladder) dropTurns() {
	t := newTruncation(l.Context, l.History, l.Tokens, groupEntries(l.History))
	_, last := outerHumans(l.History)
	running := runningCalls(l.History)
	t.dropWholeTurns(l.room, last)
	t.dropUntil(l.room, running, func(i int) bool { return i != last })
	entries, total := t.result()
	if total > l.room && last >= 0 && running == len(l.History) {
		entries = withoutMarker(entries)
	}
	var read *history.Content
	if last >= 0 && last < len(l.History)-1 {
		read = l.History[last]
	}
	l.adopt(entries)
	l.stub(read)
}

// stub takes the included files out of a message that the model has gone on from (D-47),
// where nothing else makes room.
func (l *ladder) stub(message *history.Content) {
	if i := slices.Index(l.History, message); i >= 0 && !l.fits() {
		l.edit(map[int][]history.Block{i: withoutInclusions(message).Blocks})
	}
}

// cutLatest shortens the calls of the model's latest reply to the words that distinguish them
// apart, and then leaves calls out, so that only the marker says what came of them.
func (l *ladder) cutLatest() {
	l.squeezeLatest()
	if !l.fits() {
		l.dropLatest()
	}
	if !l.fits() {
		l.adopt(withoutMarker(l.History))
	}
}

// withoutMarker is a history without the marker, unless that says of calls what the
// model has read nowhere else.
func withoutMarker(entries []*history.Content) []*history.Content {
	kept := make([]*history.Content, 0, len(entries))
	for i, entry := range entries {
		if !isMarker(entry) || unreadIn(entry, entries[i+1:]).fates != nil {
			kept = append(kept, entry)
		}
	}
	return kept
}

// dropWholeTurns drops the turns before the message at entry last, oldest first,
// until the total is at most target. A turn is a message of the user with all
// that follows it.
func (t *truncation) dropWholeTurns(target, last int) {
	for start := 0; start < last && t.total > target; {
		end := start + 1
		for end < last && !isSpoken(t.entries[end]) {
			end++
		}
		for i := start; i < end; i++ {
			if t.droppable(i) {
				t.drop(i)
			}
		}
		start = end
	}
}
