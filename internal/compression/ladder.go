package compression

import (
	"fmt"
	"slices"

	"agent/internal/history"
)

// LimitCause names the hard limit as the cause of a change, in the record and to people.
const LimitCause = "context limit"

// FallbackName names a rung of the ladder, in words for the user.
type FallbackName string

// The rungs, in their order (D-30). Density and the compression of the active strategy come
// before them; the caller runs both.
const (
	// FallbackHighDensity is the compression of high-density.
	FallbackHighDensity FallbackName = "high-density compress"
	// FallbackShorterTail is the same compression with the preserved tail halved, again and again
	// until only the newest exchange is left in it.
	FallbackShorterTail FallbackName = "shorter tail"
	// FallbackNotes replaces tool results that the model has seen by a line each, largest first.
	FallbackNotes FallbackName = "shorten large results"
	// FallbackCalls shortens the long arguments of calls, largest first.
	FallbackCalls FallbackName = "shorten large calls"
	// FallbackCut cuts tool results that the model has not seen.
	FallbackCut FallbackName = "cut new results"
	// FallbackDropTurns drops whole turns, oldest first, then the old entries of the last turn.
	FallbackDropTurns FallbackName = "drop oldest turns"
	// FallbackMessage cuts the user's latest message to its beginning and its end, see CutMessage.
	// The caller runs it, since the record numbers the text that was cut.
	FallbackMessage FallbackName = "cut your message to its beginning and end"
	// FallbackLatest cuts the model's latest calls to their outcomes.
	FallbackLatest FallbackName = "cut the latest calls"
)

// rungs lists the rungs that Reduce runs, in order.
var rungs = []struct {
	name FallbackName
	run  func(*ladder)
}{
	{FallbackHighDensity, (*ladder).compress},
	{FallbackShorterTail, (*ladder).shortenTail},
	{FallbackNotes, (*ladder).noteResults},
	{FallbackCalls, func(l *ladder) { l.shortenCalls(0, l.Total()-l.room, brief) }},
	{FallbackCut, (*ladder).cutResults},
	{FallbackDropTurns, (*ladder).dropTurns},
	{FallbackLatest, (*ladder).cutLatest},
}

// FallbackInput is a request at the hard limit.
type FallbackInput struct {
	// Context is the context that strategies get.
	Context
	// Done is the result of the active strategy's compression just before, or zero if the
	// strategy has not run. The ladder continues from there (D-42).
	Done Result
}

// A FallbackStep records the effect of one step of the ladder.
type FallbackStep struct {
	Name FallbackName
	// TokensBefore and TokensAfter are totals in the sense of D-07.
	TokensBefore, TokensAfter int
}

// FallbackResult holds a history that fits.
type FallbackResult struct {
	History []*history.Content
	// Rungs lists the steps that shortened something, in order.
	Rungs []FallbackStep
	// TokensBefore and TokensAfter are totals in the sense of D-07.
	TokensBefore, TokensAfter int
}

// ContextOverflowError says that a request cannot be made to fit, since its indispensable parts
// are too large already (D-30). All numbers are tokens.
type ContextOverflowError struct {
	// Overhead is the size of the system prompt and the tool schemas, Message the size of the
	// user's last message, and Reserve the room kept for the reply.
	Overhead, Message, Reserve int
	// Limit is the size of the model's window.
	Limit int
}

func (e *ContextOverflowError) Error() string {
	return fmt.Sprintf("the request cannot fit into the context limit of %d tokens: "+
		"system prompt and tools take %d, your message %d, and %d are reserved for the reply; "+
		"raise context-limit if the model allows it, lower max-output-tokens, or send a shorter message with fewer or smaller files",
		e.Limit, e.Overhead, e.Message, e.Reserve)
}

// Reduce brings a request under the hard limit, by gentle means first (D-30). It stops at the first
// rung after which total + reserve ≤ limit. The last message of the user stays. The model reads at
// least the outcome of every call of its latest reply, if only as a number in the marker. The
// result is valid (history.Validate) if the input was. The error is a *ContextOverflowError.
func Reduce(in FallbackInput) (FallbackResult, error) {
	if err := in.Overflow(); err != nil {
		return FallbackResult{}, err
	}
	l := newLadder(in)
	result := FallbackResult{TokensBefore: l.Total()}
	for _, rung := range rungs {
		if l.fits() {
			break
		}
		before := l.Total()
		rung.run(l)
		if after := l.Total(); after != before {
			result.Rungs = append(result.Rungs, FallbackStep{rung.name, before, after})
		}
	}
	if !l.fits() {
		// Not even the outcomes of the latest calls fit beside the message. Without them the
		// model would make the calls again and again.
		return FallbackResult{}, &ContextOverflowError{l.Overhead, l.Total() - l.Overhead, l.Reserve, l.ContextLimit}
	}
	result.History, result.TokensAfter = l.History, l.Total()
	return result, nil
}

// Overflow returns a *ContextOverflowError if the parts that must be sent are too large for the
// window by themselves, so that nothing can make the request fit; else nil.
func (c Context) Overflow() error {
	message := c.message()
	if c.Overhead+message <= c.ContextLimit-c.Reserve {
		return nil
	}
	return &ContextOverflowError{c.Overhead, message, c.Reserve, c.ContextLimit}
}

// message returns the size of the content that must stay, in tokens: the user's last message.
// Without a message it is the size of the marker, since a request needs some message. Once the
// model has gone on from a message, the files included in it need not stay (D-47).
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

// A ladder is a reduction in progress; its Context holds the history as it is now.
type ladder struct {
	Context
	// room is the limit without the reserve.
	room int
	// tail is the number of entries that the compression before preserved, or would preserve.
	tail int
	// compressed is set if high-density made the compression before.
	compressed bool
}

func newLadder(in FallbackInput) *ladder {
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

// setHistory makes entries the history. An entry that was in the history before keeps its count.
func (l *ladder) setHistory(entries []*history.Content) {
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

// compress runs the compression of high-density, unless it has just run.
func (l *ladder) compress() {
	if !l.compressed {
		l.highDensity(l.tail)
	}
}

// shortenTail halves the tail down to the newest exchange: in a long tool loop the whole window
// may be one turn of the user.
func (l *ladder) shortenTail() {
	for size := max(1, l.tail/2); size >= 1 && !l.fits(); size /= 2 {
		l.highDensity(size)
	}
}

func (l *ladder) highDensity(tail int) {
	tail = min(tail, len(l.History))
	l.setHistory(highDensity{}.compress(l.Context, tail).NewHistory)
}

// dropTurns drops, until the request fits, whole turns, oldest first; then the entries of the
// last turn, oldest first; then the marker, if the model has read everything that it represents.
// The last message of the user stays, and so do calls whose results the model is about to read.
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
	l.setHistory(entries)
	l.removeIncluded(read)
}

// removeIncluded takes the included files out of a message that the model has gone on from (D-47), if the
// request does not fit yet.
func (l *ladder) removeIncluded(message *history.Content) {
	if i := slices.Index(l.History, message); i >= 0 && !l.fits() {
		l.edit(map[int][]history.Block{i: withoutInclusions(message).Blocks})
	}
}

// cutLatest shortens the calls of the model's latest reply to the words that distinguish them. If
// that is not enough, it leaves calls out, and the marker gives their outcomes.
func (l *ladder) cutLatest() {
	l.squeezeLatest()
	if !l.fits() {
		l.dropLatest()
	}
}

// withoutMarker returns a history without its markers. A marker stays if it alone gives the
// outcome of calls that the model has not read yet.
func withoutMarker(entries []*history.Content) []*history.Content {
	kept := make([]*history.Content, 0, len(entries))
	for i, entry := range entries {
		if !isMarker(entry) || len(unreadIn(entry, entries[i+1:]).fates) > 0 {
			kept = append(kept, entry)
		}
	}
	return kept
}

// dropWholeTurns drops the turns before the message at entry last, oldest first, until the total
// is at most target. A turn is a message of the user with everything that follows it.
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
