package compression

import (
	"cmp"
	"slices"
	"strings"

	"agent/internal/history"
	"agent/internal/words"
)

// largeResult is a response that a line would shorten.
type largeResult struct {
	at       history.Ref
	response *history.ToolResponse
	key      string
	// note is what represents it in a line.
	note   *history.ToolResponse
	bytes  int
	tokens int
	// unseen results are newer than the model's latest reply: it is about to read
	// them for the first time.
	unseen bool
}

// noteResults puts a line in place of each tool result that the model has seen,
// largest first, until the request fits.
func (l *ladder) noteResults() {
	seen := slices.DeleteFunc(l.largeResults(), func(r largeResult) bool { return r.unseen })
	slices.SortStableFunc(seen, func(a, b largeResult) int { return cmp.Compare(b.bytes, a.bytes) })
	e := edits{ladder: l, excess: l.Total() - l.room, blocks: make(map[int][]history.Block)}
	for _, r := range seen {
		if e.excess <= 0 {
			break
		}
		e.put(r, r.note)
	}
	l.edit(e.blocks)
}

// cutResults cuts what the model has not seen to what the window holds, and only notes it
// if that is next to nothing (D-41, D-42).
func (l *ladder) cutResults() {
	unseen := slices.DeleteFunc(l.largeResults(), func(r largeResult) bool { return !r.unseen })
	e := edits{ladder: l, excess: l.Total() - l.room, blocks: make(map[int][]history.Block)}
	e.cut(unseen)
	l.edit(e.blocks)
}

// edits are responses on their way to something shorter.
type edits struct {
	*ladder
	// excess is what is still too much, in tokens.
	excess int
	blocks map[int][]history.Block
}

// put replaces a response.
func (e *edits) put(r largeResult, shorter *history.ToolResponse) {
	if e.blocks[r.at.Entry] == nil {
		e.blocks[r.at.Entry] = slices.Clone(e.History[r.at.Entry].Blocks)
	}
	e.blocks[r.at.Entry][r.at.Block] = shorter
	e.excess -= r.tokens - e.size(shorter)
}

// size is the tokens of a response in an entry of its own.
func (l *ladder) size(response *history.ToolResponse) int {
	return l.Count(history.New(history.Tool, response))
}

// cut shortens results to an equal share of the room there is for all of them; a
// small one leaves what it does not need to the others.
func (e *edits) cut(results []largeResult) {
	slices.SortStableFunc(results, func(a, b largeResult) int { return cmp.Compare(a.tokens, b.tokens) })
	room := -e.excess
	for _, r := range results {
		room += r.tokens
	}
	for i, r := range results {
		share := room / (len(results) - i)
		if r.tokens > share {
			shorter := e.fit(r, share)
			e.put(r, shorter)
			room -= e.size(shorter)
		} else {
			room -= r.tokens
		}
	}
}

// fewestShown is how many tokens of a result are worth showing.
const fewestShown = 30

// fit returns the beginning of a result, in at most so many tokens, and a last line
// that says how to read on; a note alone where that is too little.
func (l *ladder) fit(r largeResult, tokens int) *history.ToolResponse {
	text := r.response.Result.Text()
	note := shortNote(r.response, r.key, "too large for the window, "+size(text)+"; read a range")
	last := "[cut: " + size(text) + " are too large for the window; read a range]"
	for keep := len(text) * tokens / max(1, r.tokens); tokens >= l.size(note)+fewestShown && keep > 0; keep -= keep/8 + 1 {
		shorter := *note
		shorter.Result = history.TextResult(wholeLines(text, keep) + last)
		if l.size(&shorter) <= tokens {
			return &shorter
		}
	}
	return note
}

// wholeLines returns the lines of text that end within its first bytes, or what fits
// of a line that is longer.
func wholeLines(text string, bytes int) string {
	head := strings.ToValidUTF8(text[:min(bytes, len(text))], "")
	if i := strings.LastIndexByte(head, '\n'); i >= 0 {
		return head[:i+1]
	}
	return head + "…\n"
}

func (l *ladder) largeResults() []largeResult {
	var large []largeResult
	calls, facts := groupEntries(l.History).callOf(), l.Facts.remembered()
	answered := lastReply(l.History)
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
			r := largeResult{at: at, response: response, key: facts.keyValue(calls[at]), unseen: i > answered}
			r.bytes = len(response.Result.Text()) + len(response.Error)
			r.note = shortNote(response, r.key, "removed to fit the context limit, "+size(response.Result.Text()))
			if len(r.note.Result.Text())+len(r.note.Error) < r.bytes {
				r.tokens = l.size(response)
				large = append(large, r)
			}
		}
	}
	return large
}

// lastReply is the entry with the model's latest reply, −1 when there is none.
func lastReply(entries []*history.Content) int {
	i := len(entries) - 1
	for i >= 0 && entries[i].Speaker != history.AI {
		i--
	}
	return i
}

// maxNoteError bounds what stays of an error text beside a note, in characters.
const maxNoteError = 200

// shortNote returns the response with a line in place of its result, and its
// error text cut.
func shortNote(response *history.ToolResponse, key, fate string) *history.ToolResponse {
	note := *response
	note.Error = words.Line(response.Error, maxNoteError)
	if text := response.Result.Text(); !isSummary(text, response) {
		note.Result = history.TextResult(summaryLine(response, key, fate))
	}
	return &note
}
