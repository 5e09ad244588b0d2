package compression

import (
	"fmt"
	"slices"

	"agent/internal/history"
)

// LimitCause is what the record and people are given as the cause of a change that the
// hard limit forced.
const LimitCause = "context limit"

// RungName names a step of the reduction ladder, in words a person is shown.
type RungName string

// The rungs, in their order (D-30). Density and the active strategy's compression
// come before them; they are the caller's to run.
const (
	// RungHighDensity is the compression of high-density.
	RungHighDensity RungName = "high-density compress"
	// RungShorterTail is the same with the preserved tail halved, and halved again
	// until only the newest exchange is left in it.
	RungShorterTail RungName = "shorter tail"
	// RungNotes replaces tool results that the model has seen by a line, largest first.
	RungNotes RungName = "shorten large results"
	// RungCalls shortens the long arguments of calls, largest first.
	RungCalls RungName = "shorten large calls"
	// RungCut cuts tool results that the model has not seen.
	RungCut RungName = "cut new results"
	// RungDropTurns drops whole turns, oldest first, then what is old of the last.
	RungDropTurns RungName = "drop oldest turns"
	// RungMessage leaves of the user's latest message its beginning and its end, see
	// CutMessage. It is the caller's to run, for the record numbers what it takes.
	RungMessage RungName = "cut your message to its beginning and end"
	// RungLatest leaves of the model's latest calls only what came of them.
	RungLatest RungName = "cut the latest calls"
)

// rungs is the ladder.
var rungs = []struct {
	name RungName
	run  func(*ladder)
}{
	{RungHighDensity, (*ladder).compress},
	{RungShorterTail, (*ladder).shortenTail},
	{RungNotes, (*ladder).noteResults},
	{RungCalls, func(l *ladder) { l.shortenCalls(0, l.Total()-l.room, brief) }},
	{RungCut, (*ladder).cutResults},
	{RungDropTurns, (*ladder).dropTurns},
	{RungLatest, (*ladder).cutLatest},
}

// LadderInput is a request at the hard limit.
type LadderInput struct {
	// Context is what the strategies get.
	Context
	// Done is what the active strategy made of the history just before; zero when it
	// has not run. The ladder continues from there (D-42).
	Done Result
}

// Rung is what one step of the ladder did.
type Rung struct {
	Name RungName
	// TokensBefore and TokensAfter are totals in the sense of D-07.
	TokensBefore, TokensAfter int
}

// LadderResult is a history that fits.
type LadderResult struct {
	History []*history.Content
	// Rungs are the steps that shortened something, in order.
	Rungs []Rung
	// TokensBefore and TokensAfter are totals in the sense of D-07.
	TokensBefore, TokensAfter int
}

// ContextOverflowError says that a request cannot be made to fit, since what
// must be in it is too large already (D-30). All numbers are tokens.
type ContextOverflowError struct {
	// Overhead is the system prompt and the tool schemas, Message the last message
	// of the user, Reserve the room kept for the reply.
	Overhead, Message, Reserve int
	// Limit is the model's window.
	Limit int
}

func (e *ContextOverflowError) Error() string {
	return fmt.Sprintf("the request cannot fit into the context limit of %d tokens: "+
		"system prompt and tools take %d, your message %d, and %d are reserved for the reply; "+
		"raise context-limit if the model allows it, lower max-output-tokens, or send a shorter message with fewer or smaller files",
		e.Limit, e.Overhead, e.Message, e.Reserve)
}

// Reduce brings a request under the hard limit, by gentle means first (D-30). It
// stops at the first rung after which total + reserve ≤ limit. The last message
// of the user stays, and the model reads of every call of its latest reply what came
// of it, if only as a number in the marker.
// The result is valid (history.Validate) if the input was. The error is a
// *ContextOverflowError.
func Reduce(in LadderInput) (LadderResult, error) {
	if err := in.Overflow(); err != nil {
		return LadderResult{}, err
	}
	l := newLadder(in)
	result := LadderResult{TokensBefore: l.Total()}
	for _, rung := range rungs {
		if l.fits() {
			break
		}
		before := l.Total()
		rung.run(l)
		if after := l.Total(); after != before {
			result.Rungs = append(result.Rungs, Rung{rung.name, before, after})
		}
	}
	if !l.fits() {
		// Not even a word of what came of the latest calls fits beside the message: the
		// model would make them again and again.
		return LadderResult{}, &ContextOverflowError{l.Overhead, l.Total() - l.Overhead, l.Reserve, l.ContextLimit}
	}
	result.History, result.TokensAfter = l.History, l.Total()
	return result, nil
}

// Overflow is a *ContextOverflowError when what must be sent is too large for the
// window by itself, so that nothing can make the request fit; else nil.
func (c Context) Overflow() error {
	message := c.message()
	if c.Overhead+message <= c.ContextLimit-c.Reserve {
		return nil
	}
	return &ContextOverflowError{c.Overhead, message, c.Reserve, c.ContextLimit}
}

// message returns the tokens of what must stay: the last message of the user, or
// where there is none at least the marker, for a request needs some message. Once
// the model has gone on from a message, its included files need not stay (D-47).
func (c Context) message() int {
	_, last := outerHumans(c.History)
	switch {
	case last < 0 && len(c.History) == 0:
		return 0
	case last < 0:
		return c.Count(newMarker(len(c.History)))
	case last == len(c.History)-1:
		return c.Tokens[last]
	}
	if words := withoutInclusions(c.History[last]); words != c.History[last] {
		return c.Count(words)
	}
	return c.Tokens[last]
}

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
	l.adopt(highDensity{}.compress(l.Context, tail).NewHistory)
}

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

// cutLatest shortens the calls of the model's latest reply to the words that distinguish
// them. If that is not enough, it leaves calls out, and the marker says what came of them.
func (l *ladder) cutLatest() {
	l.squeezeLatest()
	if !l.fits() {
		l.dropLatest()
	}
}

// withoutMarker is a history without the marker, unless that says of calls what the
// model has read nowhere else.
func withoutMarker(entries []*history.Content) []*history.Content {
	kept := make([]*history.Content, 0, len(entries))
	for i, entry := range entries {
		if !isMarker(entry) || len(unreadIn(entry, entries[i+1:]).fates) > 0 {
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
