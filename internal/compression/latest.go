package compression

import (
	"cmp"
	"slices"

	"agent/internal/history"
)

// ShortenLatest shortens the long arguments of the model's latest calls, the largest first, if they
// leave no room for a conversation. It runs before anything else is dropped for them: the model wrote
// the arguments itself, but has not read the results yet. ShortenLatest returns false if there is
// nothing to shorten.
func ShortenLatest(c Context) ([]*history.Content, bool) {
	from := latestCalls(c.History)
	alone := c.Overhead + c.message()
	for _, tokens := range c.Tokens[from:] {
		alone += tokens
	}
	if from == len(c.History) || alone <= c.Target() {
		return c.History, false
	}
	l := &reduction{Context: c}
	shortened := l.shortenCalls(from, alone-c.Target(), brief)
	return l.History, shortened
}

// large is a call or a result with a shorter form.
type large struct {
	at    history.Ref
	short history.Block
	bytes int
}

// shortenCalls shortens the calls of the entries from index from on, the largest first,
// until it has saved excess tokens. It reports whether it shortened any.
func (l *reduction) shortenCalls(from, excess int, e extent) bool {
	var calls []large
	fates := groupEntries(l.History).outcomes(l.History)
	for i, entry := range l.History[from:] {
		if entry.Speaker != history.AI {
			continue
		}
		for j, block := range entry.Blocks {
			if call, ok := block.(*history.ToolCall); ok {
				if short := shortCall(call, fates[call], e); short != call {
					calls = append(calls, large{history.Ref{Entry: from + i, Block: j}, short, len(call.Parameters)})
				}
			}
		}
	}
	return l.shorten(calls, excess)
}

// shorten replaces blocks by their shorter forms, the largest first, until it has saved
// excess tokens. It reports whether it replaced any.
func (l *reduction) shorten(what []large, excess int) bool {
	slices.SortStableFunc(what, func(a, b large) int { return cmp.Compare(b.bytes, a.bytes) })
	blocks := make(map[int][]history.Block)
	for _, s := range what {
		if excess <= 0 {
			break
		}
		entry := l.History[s.at.Entry]
		if blocks[s.at.Entry] == nil {
			blocks[s.at.Entry] = slices.Clone(entry.Blocks)
		}
		blocks[s.at.Entry][s.at.Block] = s.short
		excess -= l.size(entry.Speaker, entry.Blocks[s.at.Block]) - l.size(entry.Speaker, s.short)
	}
	l.edit(blocks)
	return len(blocks) > 0
}

// size returns the tokens of a block in a separate entry.
func (l *reduction) size(speaker history.Speaker, block history.Block) int {
	return l.Count(history.New(speaker, block))
}

// edit replaces the blocks of entries, given by index.
func (l *reduction) edit(blocks map[int][]history.Block) {
	entries := slices.Clone(l.History)
	for i, edited := range blocks {
		if !slices.Equal(edited, entries[i].Blocks) {
			entries[i] = entries[i].WithBlocks(edited)
		}
	}
	l.setHistory(entries)
}

// squeezeLatest shortens the model's latest reply to short forms of its calls, and their results to a
// line with the outcome. It is the last step before calls are dropped.
func (l *reduction) squeezeLatest() {
	from := runningCalls(l.History)
	l.shortenCalls(from, l.Total()-l.room, least)
	l.leaveOutImages()
	if from == len(l.History) || l.fits() {
		return
	}
	blocks := slices.Clone(l.History[from].Blocks)
	for i, block := range blocks {
		switch b := block.(type) {
		case *history.Text:
			if short := middleCut(b.Text, brief.head); len(short) < len(b.Text) {
				blocks[i] = &history.Text{Text: short}
			}
		case *history.Thinking:
			if b.Attached != nil {
				blocks[i] = &history.Thinking{Thought: b.Thought} // without an attachment, thinking is not sent
			}
		}
	}
	l.edit(map[int][]history.Block{from: blocks})
}

// leaveOutImages replaces the images of results by a note, oldest first, until the history fits.
func (l *reduction) leaveOutImages() {
	for i := 0; i < len(l.History) && !l.fits(); i++ {
		if l.History[i].Speaker != history.Tool {
			continue
		}
		blocks := slices.Clone(l.History[i].Blocks)
		for j, block := range blocks {
			if _, ok := block.(*history.Media); ok {
				blocks[j] = &history.Text{Text: imageLeftOut + "]"}
			}
		}
		l.edit(map[int][]history.Block{i: blocks})
	}
}

// dropLatest drops calls of the model's latest reply with their results, oldest first, if the window
// cannot contain all of them. The marker contains their outcomes.
func (l *reduction) dropLatest() {
	from := runningCalls(l.History)
	if from == len(l.History) {
		return
	}
	var pairs []history.Pair
	for _, pair := range groupEntries(l.History).pairing.Pairs {
		if pair.At.Entry == from {
			pairs = append(pairs, pair)
		}
	}
	whole := *l
	excess := l.Total() - l.room
	for n, pair := range pairs {
		excess -= l.size(history.AI, pair.Call)
		for _, at := range pair.Responses {
			excess -= l.size(history.Tool, whole.History[at.Entry].Blocks[at.Block])
		}
		if excess > 0 && n+1 < len(pairs) {
			continue
		}
		*l = whole
		if l.dropPairs(from, pairs[:n+1]); l.fits() {
			return
		}
	}
}

// dropPairs removes calls of the entry at index from with their results.
func (l *reduction) dropPairs(from int, pairs []history.Pair) {
	facts, fates := l.Facts.memoized(), groupEntries(l.History).outcomes(l.History)
	gone, g := make(map[history.Ref]bool), gap{}
	came := unread{fates: make(map[string]int), whole: len(pairs) == len(l.History[from].Calls())}
	for _, pair := range pairs {
		gone[pair.At] = true
		for _, at := range pair.Responses {
			gone[at] = true
		}
		came.fates[fates[pair.Call]]++
		for _, path := range writtenBy(pair, l.History, facts) {
			g.write(path)
		}
	}
	g.unread.join(came)
	var entries []*history.Content
	at := from
	for i, entry := range l.History {
		kept := entry
		if i >= from {
			kept = entry.WithBlocks(blocksLeft(entry, i, gone))
		}
		if i == from && came.whole {
			kept = entry.WithBlocks(nil) // otherwise the conversation would end with the model's own words
		}
		switch {
		case isMarker(entry):
			g.join(entry, l.History[i+1:])
			at = min(at, len(entries))
		case len(kept.Blocks) == len(entry.Blocks):
			entries = append(entries, entry)
		case kept.Empty():
			g.entries++
		default:
			entries = append(entries, kept)
		}
	}
	g.entries = max(g.entries, 1)
	l.setHistory(noteReplies(slices.Insert(entries, min(at, len(entries)), g.marker())))
}

// blocksLeft returns the blocks of entry i without the blocks in gone. Other blocks of a removed
// result, such as an image, are removed too.
func blocksLeft(entry *history.Content, i int, gone map[history.Ref]bool) []history.Block {
	var left []history.Block
	for j, block := range entry.Blocks {
		if !gone[history.Ref{Entry: i, Block: j}] {
			left = append(left, block)
		}
	}
	if entry.Speaker == history.Tool && !slices.ContainsFunc(left, isResponse) {
		return nil
	}
	return left
}

func isResponse(block history.Block) bool {
	_, ok := block.(*history.ToolResponse)
	return ok
}
