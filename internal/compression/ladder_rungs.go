package compression

import (
	"cmp"
	"context"
	"slices"

	"agent/internal/history"
	"agent/internal/words"
)

// ladder is a reduction in progress; its Context holds the history as it is now.
type ladder struct {
	Context
	strategy Strategy
	// room is the limit without the reserve.
	room int
	// tail is how many entries the strategies preserve of the history the ladder
	// began with.
	tail int
}

func (l *ladder) fits() bool { return l.Total() <= l.room }

// message returns the tokens of what must stay: the last message of the user, or
// where there is none at least the marker, for a request needs some message.
func (l *ladder) message() int {
	if _, last := outerHumans(l.History); last >= 0 {
		return l.Tokens[last]
	}
	if len(l.History) == 0 {
		return 0
	}
	return l.Count(newMarker(len(l.History)))
}

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

func (l *ladder) compress(ctx context.Context) error {
	result, err := l.strategy.Compress(ctx, l.Context)
	if err == nil && result.Applied {
		l.adopt(result.NewHistory)
	}
	return err
}

// compressHighDensity also serves when high-density is the active strategy: it
// aims for the room where the reserve makes that smaller than the target, and
// finds nothing to do otherwise.
func (l *ladder) compressHighDensity(context.Context) error {
	l.highDensity(l.tail)
	return nil
}

// shortenTail goes on until the tail is the newest exchange: in a long tool loop
// the whole window may be one turn of the user.
func (l *ladder) shortenTail(context.Context) error {
	for size := l.tail / 2; size >= 1 && !l.fits(); size /= 2 {
		l.highDensity(size)
	}
	return nil
}

func (l *ladder) highDensity(tail int) {
	tail = min(tail, len(l.History))
	if result := (highDensity{}).compress(l.Context, tail, min(l.Target(), l.room)); result.Applied {
		l.adopt(result.NewHistory)
	}
}

// largeResult is a response that a note would shorten.
type largeResult struct {
	at       history.Ref
	response *history.ToolResponse
	note     *history.ToolResponse
	bytes    int
}

func (l *ladder) noteResults(context.Context) error {
	large := l.largeResults()
	slices.SortStableFunc(large, func(a, b largeResult) int { return cmp.Compare(b.bytes, a.bytes) })
	excess := l.Total() - l.room
	edited := make(map[int][]history.Block)
	for _, r := range large {
		if excess <= 0 {
			break
		}
		if edited[r.at.Entry] == nil {
			edited[r.at.Entry] = slices.Clone(l.History[r.at.Entry].Blocks)
		}
		edited[r.at.Entry][r.at.Block] = r.note
		excess -= l.Count(history.New(history.Tool, r.response)) - l.Count(history.New(history.Tool, r.note))
	}
	entries := slices.Clone(l.History)
	for i, blocks := range edited {
		entries[i] = entries[i].WithBlocks(blocks)
	}
	l.adopt(entries)
	return nil
}

func (l *ladder) largeResults() []largeResult {
	var large []largeResult
	calls, facts := groupEntries(l.History).callOf(), l.Facts.remembered()
	for i, entry := range l.History {
		if entry.Speaker != history.Tool {
			continue
		}
		for j, block := range entry.Blocks {
			response, ok := block.(*history.ToolResponse)
			if !ok {
				continue
			}
			at := history.Ref{Entry: i, Block: j}
			note := shortNote(response, facts.keyValue(calls[at]))
			bytes := len(response.Result.Text()) + len(response.Error)
			if len(note.Result.Text())+len(note.Error) < bytes {
				large = append(large, largeResult{at, response, note, bytes})
			}
		}
	}
	return large
}

// maxNoteError bounds what stays of an error text beside a note, in characters.
const maxNoteError = 200

// shortNote returns the response with a line in place of its result, and its
// error text cut.
func shortNote(response *history.ToolResponse, key string) *history.ToolResponse {
	note := *response
	note.Error = words.Line(response.Error, maxNoteError)
	if text := response.Result.Text(); !isSummary(text, response) {
		note.Result = history.TextResult(summaryLine(response, key, "removed to fit the context limit, "+size(text)))
	}
	return &note
}

// dropTurns drops, each only if what came before was not enough: whole turns,
// oldest first; what the last turn holds, oldest first, so that its newest calls
// go last; the marker. The last message of the user stays.
func (l *ladder) dropTurns(context.Context) error {
	t := newTruncation(l.History, l.Tokens, l.Overhead, groupEntries(l.History), l.Count)
	_, last := outerHumans(l.History)
	t.dropWholeTurns(l.room, last)
	t.dropUntil(l.room, len(l.History), func(i int) bool { return i != last })
	entries, total := t.result()
	if total > l.room && last >= 0 {
		entries = slices.DeleteFunc(slices.Clone(entries), isMarker)
	}
	l.adopt(entries)
	return nil
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
