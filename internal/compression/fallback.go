package compression

import (
	"fmt"
	"slices"

	"agent/internal/history"
)

// LimitCause is the name of the hard limit as the cause of a change, in the session log and for users.
const LimitCause = "context limit"

// FallbackName is the name of a fallback step, in words for the user.
type FallbackName string

// The fallback steps, in their order (D-30). Density and the compression of the active strategy run
// before them. The caller runs both.
const (
	// FallbackHighDensity is the compression of high-density.
	FallbackHighDensity FallbackName = "high-density compress"
	// FallbackShorterTail is the same compression with the preserved tail halved repeatedly, until the
	// tail contains only the newest group of entries.
	FallbackShorterTail FallbackName = "shorter tail"
	// FallbackShortenResults replaces each tool result that the model has seen by a line, largest first.
	FallbackShortenResults FallbackName = "shorten large results"
	// FallbackShortenCalls shortens the long arguments of calls, largest first.
	FallbackShortenCalls FallbackName = "shorten large calls"
	// FallbackCutResults cuts tool results that the model has not seen.
	FallbackCutResults FallbackName = "cut new results"
	// FallbackDropTurns drops whole turns, oldest first, then the old entries of the last turn.
	FallbackDropTurns FallbackName = "drop oldest turns"
	// FallbackMessage cuts the user's latest message to its beginning and its end; see CutMessage. The
	// caller runs it, because the ledger numbers the text that was cut.
	FallbackMessage FallbackName = "cut your message to its beginning and end"
	// FallbackLatest cuts the model's latest calls to their outcomes.
	FallbackLatest FallbackName = "cut the latest calls"
)

// fallbackSteps lists the fallback steps that Reduce runs, in order.
var fallbackSteps = []struct {
	name FallbackName
	run  func(*reduction)
}{
	{FallbackHighDensity, (*reduction).compress},
	{FallbackShorterTail, (*reduction).shortenTail},
	{FallbackShortenResults, (*reduction).noteResults},
	{FallbackShortenCalls, func(l *reduction) { l.shortenCalls(0, l.Total()-l.room, brief) }},
	{FallbackCutResults, (*reduction).cutResults},
	{FallbackDropTurns, (*reduction).dropTurns},
	{FallbackLatest, (*reduction).cutLatest},
}

// FallbackInput describes a request at the hard limit.
type FallbackInput struct {
	// Context is the context that strategies receive.
	Context
	// Done is the result of the active strategy's compression just before. It is zero if the strategy
	// has not run. The fallback steps continue from it (D-42).
	Done Result
}

// A FallbackStep records the effect of one fallback step.
type FallbackStep struct {
	Name FallbackName
	// TokensBefore and TokensAfter are sizes of the whole request in tokens (D-07).
	TokensBefore, TokensAfter int
}

// FallbackResult contains a history that fits.
type FallbackResult struct {
	History []*history.Content
	// Steps lists the steps that shortened something, in order.
	Steps []FallbackStep
	// TokensBefore and TokensAfter are sizes of the whole request in tokens (D-07).
	TokensBefore, TokensAfter int
}

// ContextOverflowError is returned if a request cannot be made to fit, because the parts that must be
// sent are too large (D-30). All numbers are tokens.
type ContextOverflowError struct {
	// Overhead is the size of the system prompt and the tool schemas. Message is the size of the user's
	// last message. Reserve is the room kept for the reply.
	Overhead, Message, Reserve int
	// Limit is the size of the context window.
	Limit int
}

func (e *ContextOverflowError) Error() string {
	return fmt.Sprintf("the request cannot fit into the context limit of %d tokens: "+
		"system prompt and tools take %d, your message %d, and %d are reserved for the reply; "+
		"raise context-limit if the model allows it, lower max-output-tokens, or send a shorter message with fewer or smaller files",
		e.Limit, e.Overhead, e.Message, e.Reserve)
}

// Reduce makes a request fit below the hard limit, by gentle steps first (D-30). It stops at the first
// step after which total + reserve ≤ limit. The last message of the user is kept. Every call of the
// model's latest reply keeps at least its outcome, if only as a number in the marker. The result is
// valid (history.Validate) if the input was. The error is a *ContextOverflowError.
func Reduce(in FallbackInput) (FallbackResult, error) {
	if err := in.Overflow(); err != nil {
		return FallbackResult{}, err
	}
	l := newReduction(in)
	result := FallbackResult{TokensBefore: l.Total()}
	for _, step := range fallbackSteps {
		if l.fits() {
			break
		}
		before := l.Total()
		step.run(l)
		if after := l.Total(); after != before {
			result.Steps = append(result.Steps, FallbackStep{step.name, before, after})
		}
	}
	if !l.fits() {
		// Not even the outcomes of the latest calls fit together with the message. Without them the
		// model would repeat the calls endlessly.
		return FallbackResult{}, &ContextOverflowError{l.Overhead, l.Total() - l.Overhead, l.Reserve, l.ContextLimit}
	}
	result.History, result.TokensAfter = l.History, l.Total()
	return result, nil
}

// Overflow returns a *ContextOverflowError if the parts that must be sent exceed the context window, so
// that nothing can make the request fit. Otherwise it returns nil.
func (c Context) Overflow() error {
	message := c.message()
	if c.Overhead+message <= c.ContextLimit-c.Reserve {
		return nil
	}
	return &ContextOverflowError{c.Overhead, message, c.Reserve, c.ContextLimit}
}

// message returns the size in tokens of the content that must be kept: the user's last message. Without
// a message it is the size of the marker, because a request needs a message. Once the model has replied
// to a message, the files included in it need not be kept (D-47).
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

// A reduction shortens a history step by step. Its Context contains the present history.
type reduction struct {
	Context
	// room is the limit without the reserve.
	room int
	// tail is the number of entries that the earlier compression preserved, or would preserve.
	tail int
	// compressed is set if high-density made the earlier compression.
	compressed bool
}

func newReduction(in FallbackInput) *reduction {
	l := &reduction{
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

func (l *reduction) fits() bool { return l.Total() <= l.room }

// setHistory replaces the history. Entries that were already in it keep their token count.
func (l *reduction) setHistory(entries []*history.Content) {
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
func (l *reduction) compress() {
	if !l.compressed {
		l.highDensity(l.tail)
	}
}

// shortenTail halves the tail repeatedly, until it contains only the newest group of entries. In a long
// tool loop the whole window may be one turn of the user.
func (l *reduction) shortenTail() {
	for size := max(1, l.tail/2); size >= 1 && !l.fits(); size /= 2 {
		l.highDensity(size)
	}
}

func (l *reduction) highDensity(tail int) {
	tail = min(tail, len(l.History))
	l.setHistory(highDensity{}.compress(l.Context, tail).NewHistory)
}

// dropTurns drops content until the request fits: whole turns, oldest first, then the entries of the
// last turn, oldest first. Last it drops the marker, if the model has read everything that the marker
// represents. It keeps the last message of the user, and calls whose results the model has not read
// yet.
func (l *reduction) dropTurns() {
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

// removeIncluded removes the included files from a message that the model has already replied to
// (D-47), if the request does not fit yet.
func (l *reduction) removeIncluded(message *history.Content) {
	if i := slices.Index(l.History, message); i >= 0 && !l.fits() {
		l.edit(map[int][]history.Block{i: withoutInclusions(message).Blocks})
	}
}

// cutLatest shortens the calls of the model's latest reply to the words that distinguish them. If that
// is not enough, it omits calls, and the marker contains their outcomes.
func (l *reduction) cutLatest() {
	l.squeezeLatest()
	if !l.fits() {
		l.dropLatest()
	}
}

// withoutMarker returns a history without its markers. It keeps a marker that alone contains the
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
